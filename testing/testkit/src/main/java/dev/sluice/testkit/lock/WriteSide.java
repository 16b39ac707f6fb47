package dev.sluice.testkit.lock;

import static dev.sluice.testkit.FlakyBackend.Fault.HOLDS_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Fault.NONE;
import static dev.sluice.testkit.FlakyBackend.Verb.RELEASE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseLock;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.PermitInfo;
import dev.sluice.lock.ReadWriteOrder;
import dev.sluice.testkit.FlakyBackend;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Differences of a lock that is the exclusive side of a read-write lock. Its test lists the groups
 * of a lock beside this one.
 *
 * @since 0.1
 */
public interface WriteSide extends OwnGrant, UnknownOutcomes {

  @Override
  default LeaseLock lock(Sluice client, String name, LockOptions options) {
    return client.readWriteLock(name, options, ReadWriteOrder.FAIR).writeLock();
  }

  @Override
  default LockInfo info(Sluice client, String name) {
    PermitInfo info = client.inspect().permits(name);
    return new LockInfo(
        info.name(),
        info.holders().stream()
            .findFirst()
            .map(
                h ->
                    new LockInfo.Holder(
                        h.client(), h.attempt(), h.token(), h.since(), h.remaining())),
        info.waiters().stream().map(w -> new LockInfo.Waiter(w.client(), w.attempt())).toList(),
        info.lastToken());
  }

  @Override
  default List<String> names(Sluice client) {
    return client.inspect().permitNames(1000).names();
  }

  @Override
  default String noun() {
    return "write lock";
  }

  /** A process may have several grants of units, so a new attempt does not replace an old one. */
  @Override
  @Test
  default void l3_lateReleaseDoesNotFreeTheNextLeaseOfTheSameProcess() {
    FlakyBackend line = line();
    Sluice a = client(line);
    Lease first = take(a, LONG);
    line.set(RELEASE, HOLDS_REQUEST);
    first.releaseAsync();
    until("the release is on its way", () -> line.heldCalls() == 1);

    line.set(RELEASE, NONE);
    CompletableFuture<Lease> waiting = enqueue(a, LONG);
    FlakyBackend.Held late = line.takeHeld();
    late.deliver();
    Lease second = granted(waiting, Duration.ofSeconds(1));
    late.deliver();

    assertThat(holds(a)).isTrue();
    assertThat(second.renew(Duration.ofSeconds(30))).isTrue();
    assertThat(lock(client(), LONG).tryAcquire()).isEmpty();
  }

  @Override
  @Test
  default void l7_pendingUndoDoesNotEndTheNextLeaseOfTheSameProcess() {
    FlakyBackend line = line();
    Sluice a = client(line);
    Lease lease = take(a, LONG);
    line.set(RELEASE, LOSES_REQUEST);
    assertThat(lease.release()).isTrue();
    CompletableFuture<Lease> waiting = enqueue(a, LONG);
    line.set(RELEASE, NONE);
    int before = line.calls(RELEASE);
    Lease next = granted(waiting, Duration.ofSeconds(5));

    assertThat(line.calls(RELEASE)).isGreaterThan(before);
    next.checkHeld();
    assertThat(holds(a)).isTrue();
    assertThat(next.renew(Duration.ofSeconds(30))).isTrue();
    assertThat(next.release()).isTrue();
    assertNothingLeft();
  }
}
