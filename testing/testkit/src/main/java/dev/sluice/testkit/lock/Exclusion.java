package dev.sluice.testkit.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Tests of promise L1: one holder at a time.
 *
 * @since 0.1
 */
public interface Exclusion extends LockContract {

  @Test
  default void l1_oneHolderAtATime() {
    Sluice a = client();
    Sluice other = client();

    Lease lease = take(a, LONG);
    assertThat(lock(other, LONG).tryAcquire()).isEmpty();
    assertThat(lock(a, LONG).tryAcquire()).isEmpty();
    assertThat(lease.release()).isTrue();

    Lease next = take(other, LONG);
    assertThat(lock(a, LONG).tryAcquire()).isEmpty();
    assertThat(next.token()).isGreaterThan(lease.token());
  }

  @Test
  default void l1_twoTasksOfOneEventLoopExcludeEachOther() throws Exception {
    Sluice a = client();
    ExecutorService loop = Executors.newSingleThreadExecutor();
    try {
      CompletableFuture<Lease> first =
          CompletableFuture.supplyAsync(() -> take(a, LONG), loop)
              .thenApplyAsync(lease -> lease, loop);
      Lease lease = first.get(1, TimeUnit.MINUTES);
      CompletableFuture<Lease> second =
          CompletableFuture.supplyAsync(() -> queue(a, LONG), loop).get(1, TimeUnit.MINUTES);

      assertThat(lock(a, LONG).tryAcquire()).isEmpty();
      assertThat(second).isNotDone();
      loop.submit(lease::release).get(1, TimeUnit.MINUTES);
      assertThat(granted(second).token()).isGreaterThan(lease.token());
    } finally {
      loop.shutdownNow();
    }
  }

  @Test
  default void l1_twoLocksDoNotDisturbEachOther() {
    Sluice a = client();
    Sluice second = client();

    Lease one = take(a, LONG);
    Lease other = lock(second, NAME + "!", LONG).tryAcquire().orElseThrow();
    assertThat(other.release()).isTrue();
    assertThat(lock(second, LONG).tryAcquire()).isEmpty();
    assertThat(one.renew(Duration.ofSeconds(30))).isTrue();
  }
}
