package dev.sluice.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@code try} returns a refusal as a value; the same verb without it throws. */
class RefusalsTest {
  private static final Duration NO_TIME = Duration.ofMillis(1);
  private static final Duration AGES = Duration.ofSeconds(30);

  private final Sluice sluice = Sluice.connect("memory:");

  @AfterEach
  void close() {
    sluice.close();
  }

  @Test
  void ofSemaphores() throws Exception {
    DistributedSemaphore seats = sluice.semaphore("seats", 2);
    try (Lease both = seats.tryAcquire(2, NO_TIME).orElseThrow()) {
      assertThat(both.token()).isPositive();
      assertThat(seats.tryAcquire()).isEmpty();
      assertThat(seats.tryAcquire(NO_TIME)).isEmpty();
      assertThatThrownBy(() -> seats.acquire(NO_TIME)).isInstanceOf(LockTimeoutException.class);
      assertThatThrownBy(() -> seats.run(NO_TIME, () -> {}))
          .isInstanceOf(LockTimeoutException.class);
      assertThatThrownBy(() -> seats.call(NO_TIME, () -> 1))
          .isInstanceOf(LockTimeoutException.class);
    }
    assertThat(seats.call(AGES, () -> seats.info().available())).isEqualTo(1);
    seats.run(AGES, () -> assertThat(seats.info().available()).isEqualTo(1));
    assertThat(seats.info().available()).isEqualTo(2);
  }

  @Test
  void ofStages() {
    DistributedLock lock = sluice.lock("seat");
    try (Lease held = lock.tryAcquire().orElseThrow()) {
      assertThat(held.token()).isPositive();
      assertThat(lock.async().tryAcquire(NO_TIME).toCompletableFuture().join()).isEmpty();
      assertThatThrownBy(() -> lock.async().acquire(NO_TIME).toCompletableFuture().join())
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(LockTimeoutException.class);
    }
    Optional<Lease> lease = lock.async().tryAcquire(AGES).toCompletableFuture().join();
    assertThat(lease).isPresent();
    lease.orElseThrow().close();
  }

  @Test
  void aWaitThatIsCancelledTakesNothing() {
    DistributedLock lock = sluice.lock("seat");
    try (Lease held = lock.tryAcquire().orElseThrow()) {
      assertThat(held.token()).isPositive();
      var waiting = lock.async().tryAcquire(AGES).toCompletableFuture();
      waiting.cancel(false);
    }
    lock.tryAcquire().orElseThrow().close();
  }
}
