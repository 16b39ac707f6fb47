package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.state.grant.GrantState;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Checks the contract: on each store that decides wrongly the tests named for it must fail. */
class ContractCatchesFaultsTest {

  @Test
  void releaseThatDeletesWhateverIsThere() {
    assertCaught(FaultyStates::plainDelete, "l3_lateReleaseDoesNotFreeTheNextHolder");
  }

  @Test
  void releaseThatComparesTheClientAlone() {
    assertCaught(
        FaultyStates::releaseByClientAlone,
        "l3_lateReleaseDoesNotFreeTheNextLeaseOfTheSameProcess");
  }

  @Test
  void releaseThatLeavesNoTombstone() {
    assertCaught(FaultyStates::noTombstone, "l3_lateAcquireAfterTheReleaseTakesNothing");
    assertCaught(FaultyStates::noTombstone, "l3_lateAcquireAfterTheReleaseDoesNotQueue");
    assertCaught(FaultyStates::noTombstone, "l7_requestThatArrivesAfterItWasGivenUpTakesNothing");
  }

  @Test
  void grantThatNobodyIsToldOf() {
    assertCaught(FaultyStates::grantWithoutAMessage, "l6_wakeUpComesByMessage");
  }

  @Test
  void tokenThatCountsWithoutTheClock() {
    assertCaught(FaultyStates::tokenWithoutClockFloor, "l2_tokenGrowsAcrossALossOfTheStoresData");
    assertCaught(
        FaultyStates::tokenWithoutClockFloor,
        "l2_tokenGrowsAcrossALossOfDataAfterManyGrantsInOneBurst");
  }

  @Test
  void tokenThatIsTheClockAlone() {
    assertCaught(FaultyStates::tokenThatIsTheClock, "l1_oneHolderAtATime");
  }

  @Test
  void blocksThatRunAheadOfTheClockWithoutABound() {
    assertCaught(
        FaultyStates::blocksWithoutABound,
        "l2_tokenGrowsAcrossALossOfDataAfterManyGrantsInOneBurst");
  }

  @Test
  void renewalThatBringsBackWhatIsGone() {
    assertCaught(FaultyStates::renewalThatRecreates, "l3_renewalDoesNotBringBackWhatIsGone");
  }

  @Test
  void pollThatDoesNotSweep() {
    assertCaught(FaultyStates::pollThatDoesNotSweep, "l6_deadHolderAndDeadWaiterAreBothSkipped");
  }

  @Test
  void releaseThatHandsOverToTheDead() {
    assertCaught(FaultyStates::deadAreNotSkipped, "l6_waiterThatDiedBeforeTheReleaseCostsNothing");
  }

  @Test
  void releaseThatFreesWithoutHandingOver() {
    assertCaught(FaultyStates::noHandOver, "l6_wakeUpComesByMessage");
  }

  @Test
  void newcomerThatPassesTheQueue() {
    assertCaught(FaultyStates::newcomerPassesTheQueue, "newcomerDoesNotPassALiveTicket");
    assertCaught(
        FaultyStates::newcomerPassesTheQueue, "newcomerDoesNotPassALiveTicketWhenTheLeaseRanOut");
  }

  @Test
  void releaseThatWakesEverybody() {
    assertCaught(FaultyStates::wakesEverybody, "l6_releaseWakesOneWaiter");
  }

  @Test
  void refusalThatLengthensTheLease() {
    assertCaught(
        FaultyStates::refusalThatLengthensTheLease, "l3_refusedTryDoesNotLengthenTheHoldersLease");
  }

  @Test
  void grantThatForgetsTheHolder() {
    assertCaught(FaultyStates::forgetsTheHolder, "l1_oneHolderAtATime");
    assertCaught(
        FaultyStates::forgetsTheHolder, "l7_repeatedRequestIsTheSameGrantWithTheSameToken");
  }

  @Test
  void nameThatIsNeverForgotten() {
    assertCaught(FaultyStates::neverForgotten, "l8_nothingStaysBeyondTheRetention");
  }

  private static void assertCaught(Function<String, GrantState> faulty, String test) {
    assertThatCode(() -> run(MemoryStore.onManualTime(), test))
        .as("without the fault")
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> run(MemoryStore.faulty(faulty), test))
        .as(test)
        .isInstanceOf(AssertionError.class);
  }

  private static void run(StoreUnderTest store, String test) throws Throwable {
    ContractFixture contract =
        new MemoryLockContractTest() {
          @Override
          protected StoreUnderTest openStore() {
            return store;
          }
        };
    ContractRun.run(contract, test);
  }
}
