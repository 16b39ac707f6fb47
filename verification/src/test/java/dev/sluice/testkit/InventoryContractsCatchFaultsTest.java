package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inventory.ClaimState;
import dev.sluice.inventory.LedgerEntry;
import dev.sluice.spi.ClaimMark;
import dev.sluice.spi.ClaimRequest;
import dev.sluice.spi.ClaimRow;
import dev.sluice.spi.InventoryBackend.RestoreReply;
import dev.sluice.spi.InventoryBackend.Verdict;
import dev.sluice.spi.SaleReply;
import dev.sluice.spi.SaleTerms;
import dev.sluice.state.ClaimTable;
import dev.sluice.state.SaleState;
import dev.sluice.state.StoredClaim;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Checks the contracts of limited stock: each planted fault must be noticed. */
class InventoryContractsCatchFaultsTest {

  /** A stock that has units which it should not have. */
  private static class Surplus extends SaleState {
    long surplus;

    @Override
    public long left() {
      return super.left() + surplus;
    }
  }

  @Test
  void storeThatForgetsWhoHasClaimed() {
    Supplier<SaleState> faulty =
        () ->
            new SaleState() {
              @Override
              protected boolean isSame(StoredClaim last, ClaimRequest request) {
                return false;
              }
            };
    assertCaught(
        faulty, InventoryContractsCatchFaultsTest::verbs, "i2_eachClaimantHasOneLiveClaim");
    assertCaught(
        faulty, InventoryContractsCatchFaultsTest::verbs, "i2_claimWhoseAnswerIsLostIsMadeOnce");
    assertCaught(
        faulty, InventoryContractsCatchFaultsTest::verbs, "i1_manyWhoClaimAtOnceGetWhatThereIs");
    assertCaught(
        faulty, InventoryContractsCatchFaultsTest::models, "i1_storeDecidesAsTheModelDoes");
  }

  @Test
  void storeThatForgetsTheRequestOfAClaimThatWasGivenUp() {
    assertCaught(
        () ->
            new SaleState() {
              @Override
              protected boolean isSame(StoredClaim last, ClaimRequest request) {
                return last.row().state().isLive();
              }
            },
        InventoryContractsCatchFaultsTest::verbs,
        "i3_unitsComeBackOnceAndTheRequestClaimsNoMore");
  }

  @Test
  void storeThatReturnsUnitsTwice() {
    Supplier<SaleState> faulty =
        () ->
            new Surplus() {
              @Override
              public ClaimState cancel(long now, ClaimMark mark, ClaimTable table) {
                ClaimRow before = find(now, mark.claimant(), table);
                if (before != null && before.state() == ClaimState.CANCELLED) {
                  surplus += before.quantity();
                }
                return super.cancel(now, mark, table);
              }
            };
    assertCaught(
        faulty,
        InventoryContractsCatchFaultsTest::verbs,
        "i3_unitsComeBackOnceAndTheRequestClaimsNoMore");
    assertCaught(
        faulty, InventoryContractsCatchFaultsTest::verbs, "returnWhoseAnswerIsLostIsMadeOnce");
    assertCaught(
        faulty, InventoryContractsCatchFaultsTest::models, "i1_storeDecidesAsTheModelDoes");
  }

  @Test
  void loadingThatOverwritesARunningSale() {
    assertCaught(
        () ->
            new Surplus() {
              @Override
              public SaleReply open(long now, SaleTerms asked, ClaimTable table) {
                SaleReply reply = super.open(now, asked, table);
                surplus += reply.info().total() - reply.info().left();
                return super.look(now, table);
              }
            },
        InventoryContractsCatchFaultsTest::verbs,
        "openingAgainChangesNothing");
  }

  @Test
  void storeThatSellsOneTooMany() {
    Supplier<SaleState> faulty =
        () -> {
          Surplus state = new Surplus();
          state.surplus = 1;
          return state;
        };
    assertCaught(
        faulty, InventoryContractsCatchFaultsTest::verbs, "claimsEndWhenTheStockIsSoldOut");
    assertCaught(
        faulty, InventoryContractsCatchFaultsTest::verbs, "i1_manyWhoClaimAtOnceGetWhatThereIs");
  }

  @Test
  void storeThatNeverReturnsAClaim() {
    Supplier<SaleState> faulty =
        () ->
            new SaleState() {
              @Override
              public int expire(long now, int limit, ClaimTable table) {
                return 0;
              }
            };
    assertCaught(
        faulty,
        InventoryContractsCatchFaultsTest::verbs,
        "unconfirmedClaimIsReturnedThoughNobodyAsksForIt");
    assertCaught(
        faulty,
        InventoryContractsCatchFaultsTest::verbs,
        "whoIsShortOfUnitsGetsThoseWhoseHoldIsOver");
  }

  @Test
  void storeThatReturnsMoreThanWasHeld() {
    assertCaught(
        () ->
            new Surplus() {
              @Override
              public int expire(long now, int limit, ClaimTable table) {
                int returned = super.expire(now, limit, table);
                surplus += returned > 0 ? 1 : 0; // two sweeps found the same claim
                return returned;
              }
            },
        InventoryContractsCatchFaultsTest::verbs,
        "unitsWhoseHoldIsOverComeBackOnceThoughSeveralProcessesSweep");
  }

  @Test
  void storeThatSellsAgainToOneWhoseClaimWasSetAside() {
    assertCaught(
        () ->
            new SaleState() {
              @Override
              protected boolean isSame(StoredClaim last, ClaimRequest request) {
                return last.row().state() != ClaimState.DEAD_LETTER && super.isSame(last, request);
              }
            },
        InventoryContractsCatchFaultsTest::drains,
        "i3_requestOfAClaimThatWasSetAsideGetsItUntilSomebodyHasGivenItUp");
  }

  @Test
  void storeThatForgetsWhatASlowConsumerWrote() {
    assertCaught(
        () ->
            new SaleState() {
              @Override
              public int settle(
                  long now,
                  String consumer,
                  List<ClaimMark> marks,
                  Verdict verdict,
                  String reason,
                  ClaimTable table) {
                StoredClaim claim = table.get(marks.get(0).claimant());
                return claim != null && claim.row().state() == ClaimState.DEAD_LETTER
                    ? 0
                    : super.settle(now, consumer, marks, verdict, reason, table);
              }
            },
        InventoryContractsCatchFaultsTest::drains,
        "i3_whatASlowConsumerWroteCountsThoughAnotherSetItAside");
  }

  @Test
  void queueingAgainOfWhatIsFinal() {
    assertCaught(
        () ->
            new SaleState() {
              @Override
              public int requeue(long now, List<ClaimMark> marks, ClaimTable table) {
                for (ClaimMark mark : marks) {
                  StoredClaim claim = table.get(mark.claimant());
                  if (claim != null && claim.row().state() == ClaimState.CONFIRMED) {
                    ClaimRow row = claim.row();
                    ClaimRow queued =
                        new ClaimRow(
                            row.epoch(),
                            row.id(),
                            row.claimant(),
                            row.quantity(),
                            row.requestId(),
                            ClaimState.QUEUED,
                            row.at(),
                            row.deliveries());
                    move(claim, new StoredClaim(queued, 0, "", 0, ""), table);
                  }
                }
                return super.requeue(now, marks, table);
              }
            },
        InventoryContractsCatchFaultsTest::reconciliations,
        "i3_finalClaimWithoutAnOrderStaysFinalWhereThereIsAHold");
  }

  @Test
  void confirmationThatIsNotKept() {
    assertCaught(
        () ->
            new SaleState() {
              @Override
              public ClaimState confirm(long now, ClaimMark mark, ClaimTable table) {
                ClaimRow row = find(now, mark.claimant(), table);
                return row == null || row.state() == ClaimState.HELD
                    ? ClaimState.CONFIRMED
                    : row.state();
              }
            },
        InventoryContractsCatchFaultsTest::verbs,
        "i3_unitsComeBackOnceAndTheRequestClaimsNoMore");
  }

  @Test
  void queueThatDropsAClaim() {
    assertCaught(
        () ->
            new SaleState() {
              @Override
              public List<ClaimRow> take(
                  long now, String consumer, int limit, long idleMicros, ClaimTable table) {
                List<ClaimRow> rows =
                    new ArrayList<>(super.take(now, consumer, limit, idleMicros, table));
                if (rows.size() > 1) { // trimmed before it was written
                  ClaimRow lost = rows.remove(0);
                  ClaimMark mark = new ClaimMark(lost.claimant(), lost.id());
                  settle(now, consumer, List.of(mark), Verdict.WRITTEN, "", table);
                }
                return rows;
              }
            },
        InventoryContractsCatchFaultsTest::drains,
        "i3_everyClaimIsWrittenAndHeldFromThenOn");
  }

  @Test
  void queueThatNeverGivesAClaimAgain() {
    Supplier<SaleState> faulty =
        () ->
            new SaleState() {
              @Override
              public List<ClaimRow> take(
                  long now, String consumer, int limit, long idleMicros, ClaimTable table) {
                return super.take(now, consumer, limit, now, table);
              }
            };
    assertCaught(
        faulty, InventoryContractsCatchFaultsTest::drains, "i3_claimsOfADeadConsumerAreTakenOver");
    assertCaught(
        faulty, InventoryContractsCatchFaultsTest::drains, "i3_claimThatIsGivenTwiceHasTheSameId");
  }

  @Test
  void storeThatGivesUpWhatSomebodyIsWriting() {
    assertCaught(
        () ->
            new SaleState() {
              @Override
              public ClaimState cancel(long now, ClaimMark mark, ClaimTable table) {
                StoredClaim claim = table.get(mark.claimant());
                if (claim != null && claim.row().state() == ClaimState.QUEUED) {
                  settle(now, claim.consumer(), List.of(mark), Verdict.REJECTED, "", table);
                }
                return super.cancel(now, mark, table);
              }
            },
        InventoryContractsCatchFaultsTest::drains,
        "i3_claimsOfADeadConsumerAreTakenOver");
  }

  @Test
  void rejectionThatGivesNothingBack() {
    assertCaught(
        () ->
            new SaleState() {
              @Override
              public int settle(
                  long now,
                  String consumer,
                  List<ClaimMark> marks,
                  Verdict verdict,
                  String reason,
                  ClaimTable table) {
                Verdict other = verdict == Verdict.REJECTED ? Verdict.WRITTEN : verdict;
                return super.settle(now, consumer, marks, other, reason, table);
              }
            },
        InventoryContractsCatchFaultsTest::drains,
        "i3_rejectedClaimGivesItsUnitsBackOnce");
  }

  @Test
  void restoringThatEntersAnOrderTwice() {
    assertCaught(
        () ->
            new Surplus() {
              @Override
              public RestoreReply restore(
                  long now, long epoch, List<LedgerEntry> orders, ClaimTable table) {
                RestoreReply reply = super.restore(now, epoch, orders, table);
                surplus -= orders.size() - reply.restored();
                return reply;
              }
            },
        InventoryContractsCatchFaultsTest::reconciliations,
        "i3_whatAgreesIsLeftAlone");
  }

  @Test
  void restoringThatTakesNoUnits() {
    Supplier<SaleState> faulty =
        () ->
            new SaleState() {
              @Override
              public RestoreReply restore(
                  long now, long epoch, List<LedgerEntry> orders, ClaimTable table) {
                return new RestoreReply(0, 0, List.of());
              }
            };
    assertCaught(
        faulty,
        InventoryContractsCatchFaultsTest::reconciliations,
        "i3_ordersThatTheStoreForgotTakeTheirUnitsAgain");
    assertCaught(
        faulty,
        InventoryContractsCatchFaultsTest::reconciliations,
        "i3_storeThatLostEverythingIsRebuilt");
  }

  @Test
  void queueingAgainThatDoesNothing() {
    assertCaught(
        () ->
            new SaleState() {
              @Override
              public int requeue(long now, List<ClaimMark> marks, ClaimTable table) {
                return marks.size();
              }
            },
        InventoryContractsCatchFaultsTest::reconciliations,
        "i3_claimsWhoseOrdersAreLostAreDrainedAgain");
  }

  private static void assertCaught(
      Supplier<SaleState> faulty, Function<StoreUnderTest, ContractFixture> suite, String test) {
    assertThatCode(() -> ContractRun.run(suite.apply(MemoryStore.onManualTime()), test))
        .as("without the fault")
        .doesNotThrowAnyException();
    assertThatThrownBy(
            () -> ContractRun.run(suite.apply(MemoryStore.faultyInventories(faulty)), test))
        .as(test)
        .isInstanceOfAny(AssertionError.class, ExecutionException.class);
  }

  private static ContractFixture verbs(StoreUnderTest store) {
    return new MemoryInventoryContractTest() {
      @Override
      protected StoreUnderTest openStore() {
        return store;
      }
    };
  }

  private static ContractFixture drains(StoreUnderTest store) {
    return new MemoryInventoryDrainContractTest() {
      @Override
      protected StoreUnderTest openStore() {
        return store;
      }
    };
  }

  private static ContractFixture reconciliations(StoreUnderTest store) {
    return new MemoryInventoryReconcileContractTest() {
      @Override
      protected StoreUnderTest openStore() {
        return store;
      }
    };
  }

  private static ContractFixture models(StoreUnderTest store) {
    return new MemoryInventoryModelContractTest() {
      @Override
      protected StoreUnderTest openStore() {
        return store;
      }
    };
  }
}
