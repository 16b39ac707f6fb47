package dev.sluice.testkit.lock;

import static dev.sluice.testkit.FlakyBackend.Verb.ACQUIRE;
import static dev.sluice.testkit.FlakyBackend.Verb.RELEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.lock.LeaseLostException;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.LockTimeoutException;
import dev.sluice.testkit.FlakyBackend;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;

/**
 * The view as a {@link Lock}.
 *
 * @since 0.1
 */
public interface Reentrancy extends LockContract {

  @Test
  default void reentryKeepsTheTokenAndCostsNoCall() {
    FlakyBackend line = line();
    Lock view = lock(client(line), LONG).asReentrantLock();
    view.lock();
    long token = info().lastToken();
    view.lock();
    assertThat(view.tryLock()).isTrue();

    assertThat(line.calls(ACQUIRE)).isEqualTo(1);
    assertThat(info().lastToken()).isEqualTo(token);
    view.unlock();
    view.unlock();
    assertThat(line.calls(RELEASE)).isZero();
    assertThat(info().holder().orElseThrow().token()).isEqualTo(token);
    view.unlock();
    assertNothingLeft();
    assertThatThrownBy(view::unlock)
        .isInstanceOf(IllegalMonitorStateException.class)
        .hasMessage("%s '%s' is not held by %s", noun(), NAME, Thread.currentThread().getName());
  }

  @Test
  default void viewBelongsToItsThread() throws Exception {
    Sluice a = client();
    Lock view = lock(a, LONG).asReentrantLock();
    view.lock();
    Running<Boolean> other =
        start(
            () -> {
              assertThatThrownBy(view::unlock)
                  .isInstanceOf(IllegalMonitorStateException.class)
                  .hasMessageStartingWith(noun() + " '" + NAME + "' is not held by contract-");
              return view.tryLock()
                  || view.tryLock(0, TimeUnit.SECONDS)
                  || view.tryLock(-1, TimeUnit.DAYS);
            });
    assertThat(other.result()).isFalse();
    assertThat(holds(a)).isTrue();
    view.unlock();
    assertThat(start(() -> view.tryLock(20, TimeUnit.SECONDS)).result()).isTrue();
  }

  @Test
  default void viewsOfOneLockAreOneAndTheSameWithinAClient() {
    FlakyBackend line = line();
    Sluice a = client(line);
    lock(a, LONG).asReentrantLock().lock();
    assertThat(lock(a, FIXED).asReentrantLock().tryLock()).isTrue();
    lock(a, LONG).asReentrantLock().lock();
    assertThat(line.calls(ACQUIRE)).isEqualTo(1);
    assertThat(lock(client(), LONG).asReentrantLock().tryLock()).as("another client").isFalse();

    for (int i = 0; i < 3; i++) {
      assertThat(holds(a)).isTrue();
      lock(a, LONG).asReentrantLock().unlock();
    }
    assertNothingLeft();
    assertThatThrownBy(lock(a, LONG).asReentrantLock()::unlock)
        .isInstanceOf(IllegalMonitorStateException.class);
  }

  @Test
  default void whoWaitsForItselfIsToldSo() {
    Sluice a = client();
    Lock view = lock(a, LONG).asReentrantLock();
    view.lock();
    assertThatThrownBy(() -> lock(a, LONG).acquire(Duration.ZERO))
        .isInstanceOf(LockTimeoutException.class)
        .hasMessage("%s '%s': this thread holds it", noun(), NAME);
    assertThatThrownBy(() -> start(() -> lock(a, LONG).acquire(Duration.ZERO)).result())
        .cause()
        .isInstanceOf(LockTimeoutException.class)
        .hasMessage("%s '%s': held by another lease", noun(), NAME);
    view.unlock();
  }

  @Test
  default void lostLeaseIsNotEnteredAgainAndItsUnlockSaysSo() {
    LockOptions fixed = LockOptions.fixed(SHORT_TTL.multipliedBy(3));
    Lock view = lock(client(), fixed).asReentrantLock();
    view.lock();
    store().pass(fixed.ttl().plus(SHORT_TTL));

    assertThatThrownBy(view::lock).isInstanceOf(LeaseLostException.class);
    assertThatThrownBy(view::tryLock).isInstanceOf(LeaseLostException.class);
    assertThatThrownBy(view::unlock)
        .isInstanceOf(LeaseLostException.class)
        .hasMessageStartingWith(noun() + " '" + NAME + "' lost: ");
    assertThatThrownBy(view::unlock).isInstanceOf(IllegalMonitorStateException.class);
    view.lock();
    view.unlock();
  }

  @Test
  default void lockSurvivesAnInterruptAndKeepsTheFlag() throws Exception {
    Sluice a = client();
    Sluice other = client();
    Lock held = lock(a, LONG).asReentrantLock();
    held.lock();
    AtomicBoolean locked = new AtomicBoolean();
    Running<Boolean> waiting =
        start(
            () -> {
              Lock view = lock(other, LONG).asReentrantLock();
              view.lock();
              locked.set(true);
              view.unlock();
              return Thread.currentThread().isInterrupted();
            });
    until("it waits", () -> waits(other));
    waiting.thread().interrupt();
    store().pass(SHORT_TTL.dividedBy(10));
    assertThat(locked).isFalse();
    held.unlock();

    within("it is locked", SHORT_TTL.multipliedBy(4), locked::get);
    assertThat(waiting.result()).isTrue();
  }

  @Test
  default void interruptibleLockIsInterrupted() throws Exception {
    Sluice a = client();
    Lock held = lock(a, LONG).asReentrantLock();
    held.lock();
    Lock view = lock(client(), LONG).asReentrantLock();
    Running<Boolean> waiting =
        start(
            () -> {
              view.lockInterruptibly();
              return true;
            });
    until("it waits", () -> !info().waiters().isEmpty());
    waiting.thread().interrupt();

    assertThatThrownBy(waiting::result).cause().isInstanceOf(InterruptedException.class);
    until("the ticket is taken back", () -> info().waiters().isEmpty());
    held.unlock();
  }

  @Test
  default void viewHasNoConditions() {
    assertThatThrownBy(() -> lock(client(), LONG).asReentrantLock().newCondition())
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessage("a distributed lock has no conditions");
  }
}
