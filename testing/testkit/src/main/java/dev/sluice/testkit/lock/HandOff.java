package dev.sluice.testkit.lock;

import static dev.sluice.testkit.FlakyBackend.Verb.ACQUIRE;
import static dev.sluice.testkit.FlakyBackend.Verb.RELEASE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import dev.sluice.testkit.FlakyBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Tests of the hand-off within a process and between processes, and of sticky leases.
 *
 * @since 0.1
 */
public interface HandOff extends LockContract {

  @Test
  default void handOffWithinAProcessCostsNoCall() {
    FlakyBackend line = line();
    Sluice a = client(line);
    Lease lease = take(a, LONG);
    List<CompletableFuture<Lease>> waiting = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      waiting.add(queue(a, LONG));
    }
    lease.close();
    lease = granted(waiting.get(0), POLL); // the first had a block of one
    int acquires = line.calls(ACQUIRE);
    int releases = line.calls(RELEASE);
    for (int i = 1; i < 20; i++) {
      long last = lease.token();
      lease.close();
      lease = granted(waiting.get(i));
      assertThat(lease.token()).isEqualTo(last + 1);
    }
    assertThat(line.calls(ACQUIRE)).isEqualTo(acquires);
    assertThat(line.calls(RELEASE)).isEqualTo(releases);
    lease.close();
    assertNothingLeft();
  }

  @Test
  default void otherProcessIsServedWhileThisOneGoesOnAndOn() throws Exception {
    Sluice a = client();
    Sluice other = client();
    LockOptions options = LONG.handOff(10, Duration.ofSeconds(10));
    boolean[] stop = new boolean[1]; // under the lock
    List<Running<Integer>> busy = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      busy.add(
          start(
              () -> {
                for (int turns = 0; ; turns++) {
                  try (Lease lease = lock(a, options).acquire(AGES)) {
                    lease.checkHeld();
                    if (stop[0]) {
                      return turns;
                    }
                  }
                }
              }));
    }
    for (int i = 0; i < 5; i++) {
      CompletableFuture<Lease> waiting = queue(other, options);
      Lease lease = granted(waiting, POLL.multipliedBy(2));
      stop[0] = i == 4;
      lease.close();
    }
    for (Running<Integer> each : busy) {
      assertThat(each.result()).isNotNegative();
    }
  }

  @Test
  default void stickyLockIsTakenAgainWithoutACall() {
    FlakyBackend line = line();
    Sluice a = client(line);
    LockOptions sticky = LONG.sticky(Duration.ofSeconds(20));
    take(a, sticky).close();
    int acquires = line.calls(ACQUIRE);
    long last = 0;
    for (int i = 0; i < 100; i++) {
      Lease lease = take(a, sticky);
      assertThat(lease.token()).isGreaterThan(last);
      last = lease.token();
      lease.close();
    }
    assertThat(line.calls(ACQUIRE)).isEqualTo(acquires);
    assertThat(line.calls(RELEASE)).isZero();
    assertThat(holds(a)).isTrue();
  }

  @Test
  default void stickyLockIsLetGoAtOnceForAnother() {
    Sluice a = client();
    Sluice other = client();
    Lease first = take(a, LONG.sticky(Duration.ofSeconds(20)));
    first.close();
    Lease next = granted(queue(other, LONG)); // by message: no time passes where it can be held

    assertThat(next.token()).isGreaterThan(first.token());
    assertThat(lock(a, LONG).tryAcquire()).isEmpty();
  }

  @Test
  default void stickyLockIsLetGoForAnotherThoughTheMessageIsLost() {
    FlakyBackend line = line();
    Sluice a = client(line);
    line.losesMessages(true);
    take(a, RENEWING.sticky(Duration.ofSeconds(20))).close();

    granted(queue(client(), LONG), SHORT_TTL.plus(POLL));
  }

  @Test
  default void stickyLockIsGivenBackWhenItsTimeIsOver() {
    Sluice a = client();
    Duration sticky = Duration.ofSeconds(1);
    long start = store().nanos();
    take(a, LONG.sticky(sticky)).close();
    boolean isKept = holds(a);
    if (store().nanos() - start < sticky.toNanos()) { // else its time may be over
      assertThat(isKept).isTrue();
    }

    within("it is released", Duration.ofMillis(1100), () -> info().holder().isEmpty());
    take(client(), LONG);
  }
}
