package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.memory.FaultyMemory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Checks the contract of limits: on each store that decides wrongly a test must fail. */
class LimitContractCatchesFaultsTest {

  @Test
  void writeBackThatIsForgotten() {
    assertCaught(FaultyLimits::writeBackForgotten, "r1_capacityPassesAndTheNextIsRefused");
    assertCaught(FaultyLimits::writeBackForgotten, "r1_manyCallersNeverGetTooMany");
    assertCaught(FaultyLimits::writeBackForgotten, "leasesNeverLetTooManyPass");
  }

  @Test
  void refusalThatIsRecorded() {
    assertCaught(FaultyLimits::refusalRecorded, "r1_refusalsAreNotCounted");
  }

  @Test
  void timeToLiveThatIsTooShort() {
    assertCaught(FaultyLimits::timeToLiveTooShort, "r1_nothingIsForgottenBeforeItsTime");
  }

  @Test
  void clockOfTheClient() {
    assertCaught(
        FaultyLimits.clientClock(TimeUnit.DAYS.toMicros(700)),
        "r1_capacityPassesAndTheNextIsRefused");
    assertCaught(FaultyLimits.clientClock(1000), "r1_callsAreCounted"); // it sees the clock go back
  }

  @Test
  void tierThatIsSpentAlthoughAnotherRefuses() {
    assertCaught(FaultyLimits::tierSpentOnRefusal, "r2_refusalSpendsNothingInAnyTier");
  }

  @Test
  void refundThatGoesAboveTheCapacity() {
    assertCaught(FaultyLimits.refundAboveCapacity(), "r1_refundNeverGoesAboveTheCapacity");
  }

  @Test
  void permitsThatComeBackToACountThatNeverHadThem() {
    assertCaught(FaultyLimits::credulous, "creditFromBeforeAResetDoesNotComeBack");
    assertCaught(FaultyLimits::credulous, "creditOfAHigherLimitDoesNotComeBackToALowerOne");
  }

  @Test
  void idOfASettlementThatIsForgotten() {
    assertCaught(FaultyLimits.idForgotten(), "r1_settlementThatArrivesTwiceCountsOnce");
  }

  @Test
  void debtThatIsForgiven() {
    assertCaught(FaultyLimits.debtForgiven(), "r1_debtDelaysTheNextCall");
  }

  @Test
  void settlementThatIsNeverLate() {
    assertCaught(FaultyLimits.neverLate(), "lateSettlementChangesNothing");
  }

  @Test
  void settlementThatGivesBackToACountThatNeverHadIt() {
    assertCaught(FaultyLimits.credulousSettlement(), "r1_settlementAfterAResetGivesNothingBack");
  }

  @Test
  void callThatIsTakenForNone() {
    assertCaught(FaultyLimits.callForgotten(), "r2_requestsAndTokensAreOneDecision");
  }

  private static void assertCaught(FaultyMemory.Limits faulty, String test) {
    assertThatCode(() -> run(MemoryStore.onManualTime(), test))
        .as("without the fault")
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> run(MemoryStore.faultyLimits(faulty), test))
        .as(test)
        .isInstanceOf(AssertionError.class);
  }

  private static void run(StoreUnderTest store, String test) throws Throwable {
    ContractFixture contract =
        new MemoryLimitContractTest() {
          @Override
          protected StoreUnderTest openStore() {
            return store;
          }
        };
    ContractRun.run(contract, test);
  }
}
