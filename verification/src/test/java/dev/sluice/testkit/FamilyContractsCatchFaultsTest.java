package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.lock.ForcedRelease;
import dev.sluice.spi.LatchReply;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.RenewReply;
import dev.sluice.state.LatchState;
import dev.sluice.state.States;
import dev.sluice.state.grant.GrantKind;
import dev.sluice.state.grant.GrantState;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Checks the contracts of forced releases and of latches: each planted fault must be noticed. */
class FamilyContractsCatchFaultsTest {

  @Test
  void forcedReleaseThatTellsNobody() {
    assertCaught(
        name ->
            new GrantState(name, GrantKind.LOCK) {
              @Override
              public Optional<ForcedRelease> forceRelease(
                  long now, long token, States.Post<LockMessage> post) {
                return super.forceRelease(
                    now,
                    token,
                    (client, message) -> {
                      if (message.kind() != LockMessage.Kind.TAKEN) {
                        post.send(client, message);
                      }
                    });
              }
            },
        "holderIsToldByMessage");
  }

  @Test
  void forcedReleaseThatHitsWhoeverHoldsByThen() {
    assertCaught(
        name ->
            new GrantState(name, GrantKind.LOCK) {
              @Override
              public Optional<ForcedRelease> forceRelease(
                  long now, long token, States.Post<LockMessage> post) {
                return super.forceRelease(now, 0, post);
              }
            },
        "holderThatNobodyLookedAtStays");
  }

  @Test
  void forcedReleaseThatLeavesTheAttemptAlive() {
    assertCaught(FaultyStates::noTombstone, "lateAcquireOfTheEndedAttemptTakesNothing");
  }

  @Test
  void forcedReleaseThatServesNobody() {
    assertCaught(FaultyStates::noHandOver, "nextWaiterIsServedAtOnceAndInOrder");
  }

  @Test
  void forcedReleaseWhoseHolderCanStillReleaseTheNext() {
    assertCaught(FaultyStates::plainDelete, "lateReleaseOfTheOldHolderTouchesNothing");
  }

  @Test
  void forcedReleaseWhoseHolderCanStillRenew() {
    assertCaught(
        name ->
            new GrantState(name, GrantKind.LOCK) {
              @Override
              public RenewReply renew(long now, String client, long attempt, long ttlMicros) {
                super.renew(now, client, attempt, ttlMicros);
                return new RenewReply.Renewed(ttlMicros, 0);
              }
            },
        "lateRenewalOfTheOldHolderTouchesNothing");
  }

  @Test
  void countDownThatForgetsItsNumber() {
    Supplier<LatchState> faulty =
        () ->
            new LatchState() {
              @Override
              protected boolean isOver(String client, long number) {
                return false;
              }
            };
    assertLatchCaught(faulty, "countDownWhoseAnswerIsLostCountsOnce");
    assertLatchCaught(faulty, "countDownThatTheNetworkRepeatsCountsOnce");
    assertLatchCaught(faulty, "countDownThatArrivesLateCountsNoMoreOnceAnotherFollowed");
    assertLatchCaught(faulty, "settingWhoseAnswerIsLostIsKnownAsOurs");
  }

  @Test
  void latchThatOpensWithoutAWord() {
    assertLatchCaught(
        () ->
            new LatchState() {
              @Override
              public long countDown(
                  long now, String client, long number, long by, Consumer<String> post) {
                return super.countDown(now, client, number, by, nobody -> {});
              }
            },
        "countsDownToZeroAndLetsEverybodyGo");
  }

  @Test
  void latchThatDoesNotRememberThatItOpened() {
    assertLatchCaught(
        () ->
            new LatchState() {
              @Override
              public LatchReply look(long now, String waiter) {
                LatchReply reply = super.look(now, waiter);
                return new LatchReply(reply.count(), reply.round(), 0);
              }
            },
        "whoWaitsForOneRoundIsNotHeldUpByTheNext");
  }

  @Test
  void latchThatIsNotKeptForThoseWhoWait() {
    assertLatchCaught(
        () ->
            new LatchState() {
              @Override
              public LatchReply look(long now, String waiter) {
                return super.look(now, "");
              }
            },
        "latchIsKeptWhileSomebodyWaits");
  }

  private static void assertCaught(Function<String, GrantState> faulty, String test) {
    check(MemoryStore.onManualTime(), MemoryStore.faulty(faulty), test, true);
  }

  private static void assertLatchCaught(Supplier<LatchState> faulty, String test) {
    check(MemoryStore.onManualTime(), MemoryStore.faultyLatches(faulty), test, false);
  }

  private static void check(
      StoreUnderTest good, StoreUnderTest faulty, String test, boolean forced) {
    assertThatCode(() -> ContractRun.run(contract(good, forced), test))
        .as("without the fault")
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> ContractRun.run(contract(faulty, forced), test))
        .as(test)
        .isInstanceOfAny(AssertionError.class, ExecutionException.class); // of a thread in the test
  }

  private static ContractFixture contract(StoreUnderTest store, boolean forced) {
    if (forced) {
      return new MemoryForceReleaseContractTest() {
        @Override
        protected StoreUnderTest openStore() {
          return store;
        }
      };
    }
    return new MemoryLatchContractTest() {
      @Override
      protected StoreUnderTest openStore() {
        return store;
      }
    };
  }
}
