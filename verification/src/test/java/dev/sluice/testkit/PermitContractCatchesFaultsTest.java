package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.state.grant.GrantState;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Checks the contracts: on each store that decides wrongly the tests named for it must fail. */
class PermitContractCatchesFaultsTest {

  @Test
  void moreThanThereIs() {
    semaphore(FaultyPermits::countsOneTooMany, "l1_neverMorePermitsThanThereAre");
    semaphore(FaultyPermits::countsOneTooMany, "l1_l2_neverMoreHoldersThanPermitsAndNoTokenTwice");
  }

  @Test
  void releaseThatComparesTheClientAlone() {
    semaphore(FaultyPermits::releaseByClientAlone, "l3_lateAndRepeatedReleaseTouchesNoOtherLease");
  }

  @Test
  void releaseThatLeavesNoTombstone() {
    semaphore(FaultyPermits::noTombstone, "l3_lateAcquireAfterTheReleaseTakesNothing");
  }

  @Test
  void tokens() {
    semaphore(FaultyPermits::tokenWithoutClockFloor, "l2_tokenGrowsAcrossALossOfTheStoresData");
    semaphore(FaultyPermits::tokenThatIsTheClock, "l2_tokensGrowWithinAProcessAndAcrossProcesses");
    readWrite(
        FaultyPermits::tokenThatIsTheClock, "l2_writersTokenIsAboveThoseBeforeAndBelowThoseAfter");
  }

  @Test
  void deadThatKeepTheirPlace() {
    semaphore(FaultyPermits::deadAreNotSkipped, "l6_waiterThatDiedBeforeTheReleaseCostsNothing");
  }

  @Test
  void releaseThatHandsNothingOver() {
    semaphore(FaultyPermits::noHandOver, "l6_oneReleaseServesAsManyAsFitByMessage");
    readWrite(FaultyPermits::noHandOver, "l6_allReadersAtTheHeadAreLetInTogetherByMessage");
  }

  @Test
  void releaseThatServesOneWhereManyFit() {
    semaphore(FaultyPermits::handsOverToOne, "l6_oneReleaseServesAsManyAsFitByMessage");
    readWrite(FaultyPermits::handsOverToOne, "l6_allReadersAtTheHeadAreLetInTogetherByMessage");
  }

  @Test
  void smallOneThatPasses() {
    semaphore(FaultyPermits::smallOnesPass, "largeRequestIsNotPassedBySmallOnes");
    readWrite(FaultyPermits::smallOnesPass, "fairOrder_waitingWriterKeepsLaterReadersBack");
  }

  @Test
  void partsThatAreNotParts() {
    semaphore(FaultyPermits::partIsTheWhole, "l7_lostReturnOfAPartIsRepeated");
    semaphore(FaultyPermits::partIsKept, "l7_lostReturnOfAPartIsRepeated");
    readWrite(FaultyPermits::partIsTheWhole, "downgradeLetsReadersInAndNoWriterBetween");
    readWrite(FaultyPermits::partIsKept, "downgradeLetsReadersInAndNoWriterBetween");
  }

  @Test
  void orderThatIsNotAsAsked() {
    readWrite(FaultyPermits::noPreference, "writersFirst_writerPassesReadersThatWait");
    readWrite(
        FaultyPermits::alwaysPrefersWriters, "fairOrder_waitingReaderIsNotPassedByALaterWriter");
  }

  @Test
  void capacityThatChangesByItself() {
    semaphore(FaultyPermits::takesAnyCapacity, "otherNumberOfPermitsIsTold");
  }

  @Test
  void renewalThatBringsBackWhatIsGone() {
    readWrite(FaultyPermits::renewalThatRecreates, "readerIsRenewedAndIsNotifiedOfItsLoss");
  }

  private static void semaphore(Function<String, GrantState> faulty, String test) {
    assertCaught(faulty, test, false);
  }

  private static void readWrite(Function<String, GrantState> faulty, String test) {
    assertCaught(faulty, test, true);
  }

  private static void assertCaught(
      Function<String, GrantState> faulty, String test, boolean readWrite) {
    assertThatCode(() -> run(MemoryStore.onManualTime(), test, readWrite))
        .as("without the fault")
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> run(MemoryStore.faultyPermits(faulty), test, readWrite))
        .as(test)
        .isInstanceOf(Throwable.class);
  }

  private static void run(StoreUnderTest store, String test, boolean readWrite) throws Throwable {
    ContractFixture contract =
        readWrite
            ? new MemoryReadWriteContractTest() {
              @Override
              protected StoreUnderTest openStore() {
                return store;
              }
            }
            : new MemorySemaphoreContractTest() {
              @Override
              protected StoreUnderTest openStore() {
                return store;
              }
            };
    ContractRun.run(contract, test);
  }
}
