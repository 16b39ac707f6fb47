package dev.sluice.testkit;

import static dev.sluice.testkit.FlakyBackend.Fault.HOLDS_REPLY;
import static dev.sluice.testkit.FlakyBackend.Verb.ACQUIRE;
import static dev.sluice.testkit.FlakyBackend.Verb.RENEW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.internal.lock.GrantEngine;
import dev.sluice.internal.lock.GrantParts;
import dev.sluice.internal.lock.LeaseRules;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import dev.sluice.memory.ManualTime;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.spi.Scheduler;
import dev.sluice.verification.torture.FaultyRules;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Checks the checker on the client's side: a wrong arithmetic of leases must be seen. In the
 * scenarios the client's timer is starved, so that its arithmetic alone stands between two holders.
 */
class ContractCatchesClientFaultsTest {
  private static final Duration TTL = Duration.ofSeconds(1);
  private static final Scheduler STARVED = (task, delay) -> () -> {};

  private final ManualTime time = new ManualTime();
  private final MemoryBackend store = new MemoryBackend(time::storeMicros);
  private final FlakyBackend line = new FlakyBackend(store);

  private GrantEngine engine(String client, LeaseRules rules) {
    return GrantEngine.ofLocks(
        client.equals("a") ? line.locks() : store.locks(),
        new GrantParts(
            "memory",
            client,
            time,
            STARVED,
            new Random(1),
            (Executor) Runnable::run,
            rules,
            Duration.ofDays(1)));
  }

  private void assertOtherIsGrantedOnlyAfterTheLoss(Lease lease) {
    GrantEngine other = engine("b", new LeaseRules(0.01));
    while (other.lock("seat", LockOptions.defaults()).tryAcquire().isEmpty()) {
      time.advance(Duration.ofMillis(1));
    }
    assertThat(lease.state()).isEqualTo(LeaseState.LOST);
  }

  private void replyTakesItsTime(LeaseRules rules) {
    line.next(ACQUIRE, HOLDS_REPLY);
    CompletableFuture<Lease> waiting =
        engine("a", rules)
            .lock("seat", LockOptions.fixed(TTL))
            .async()
            .acquire(TTL)
            .toCompletableFuture();
    time.advance(TTL.dividedBy(2));
    line.takeHeld().deliver();
    Lease lease = waiting.join();
    lease.checkHeld();
    assertOtherIsGrantedOnlyAfterTheLoss(lease);
  }

  private void renewalIsAnsweredTooLate(LeaseRules rules) {
    Lease lease =
        engine("a", rules).lock("seat", LockOptions.fixed(TTL)).tryAcquire().orElseThrow();
    line.next(RENEW, HOLDS_REPLY);
    CompletableFuture<Boolean> renewal = renewElsewhere(lease);
    time.advance(TTL.multipliedBy(2)); // the renewed grant ended as well
    GrantEngine other = engine("b", new LeaseRules(0.01));
    assertThat(other.lock("seat", LockOptions.defaults()).tryAcquire()).isPresent();
    line.takeHeld().deliver();
    try {
      assertThat(renewal.join()).isFalse();
    } catch (CompletionException e) {
      throw new AssertionError(e);
    }
  }

  private void lossBeforeTheStoresEnd(LeaseRules rules) {
    Lease lease =
        engine("a", rules).lock("seat", LockOptions.fixed(TTL)).tryAcquire().orElseThrow();
    time.advance(TTL.minusNanos(1)); // the store's clock may be a millisecond further
    assertThat(lease.state()).isEqualTo(LeaseState.LOST);
  }

  private CompletableFuture<Boolean> renewElsewhere(Lease lease) {
    CompletableFuture<Boolean> renewal =
        CompletableFuture.supplyAsync(() -> lease.renew(TTL), task -> new Thread(task).start());
    await().until(() -> line.heldCalls() == 1);
    return renewal;
  }

  @Test
  void deadlineThatCountsFromTheReply() {
    assertCaught(this::replyTakesItsTime, FaultyRules.deadlineFromTheReply());
  }

  @Test
  void deadlineWithoutAMargin() {
    assertCaught(this::lossBeforeTheStoresEnd, FaultyRules.noMargin());
  }

  @Test
  void renewalThatCountsAfterTheDeadline() {
    assertCaught(this::renewalIsAnsweredTooLate, FaultyRules.renewalCountsAfterTheDeadline());
  }

  @Test
  void leaseThatIsGoodForEver() {
    assertCaught(this::replyTakesItsTime, FaultyRules.goodForEver());
  }

  private void assertCaught(Consumer<LeaseRules> scenario, LeaseRules faulty) {
    assertThatCode(() -> scenario.accept(new LeaseRules(0.01))).doesNotThrowAnyException();
    store.clear();
    time.advance(Duration.ofSeconds(10));
    assertThatThrownBy(() -> scenario.accept(faulty)).isInstanceOf(AssertionError.class);
  }
}
