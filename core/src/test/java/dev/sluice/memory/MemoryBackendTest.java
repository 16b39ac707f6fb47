package dev.sluice.memory;

import static dev.sluice.spi.LockProtocol.RETENTION_MICROS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantReply.Granted;
import dev.sluice.spi.GrantRequest;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MemoryBackendTest {
  private final AtomicLong clock = new AtomicLong(1_800_000_000_000_000L);
  private final MemoryBackend store = new MemoryBackend(clock::get);

  private Granted take(String name, String client, long attempt) {
    return (Granted)
        store
            .locks()
            .acquire(new GrantRequest(name, client, attempt, 1_000_000, 1, false))
            .toCompletableFuture()
            .join();
  }

  private void free(String name, String client, long attempt) {
    store
        .locks()
        .release(new GrantAttempt.Id(name, client, attempt), 0)
        .toCompletableFuture()
        .join();
  }

  private java.util.List<String> names(int limit) {
    return store.locks().names(limit).toCompletableFuture().join();
  }

  @Test
  void forgetsIdleNamesAfterTheRetention() {
    for (int i = 0; i < 100; i++) {
      take("seat/" + i, "a", i);
      free("seat/" + i, "a", i);
    }
    assertThat(names(1000)).hasSize(100);
    assertThat(names(7)).hasSize(7);
    clock.addAndGet(RETENTION_MICROS);
    assertThat(names(1000)).hasSize(100);
    clock.incrementAndGet();
    assertThat(names(1000)).isEmpty();
  }

  @Test
  void tokenGrowsThoughTheNameWasForgotten() {
    long token = take("seat", "a", 1).token();
    free("seat", "a", 1);
    clock.addAndGet(RETENTION_MICROS + 1);
    assertThat(take("seat", "a", 2).token()).isGreaterThan(token);
  }

  @Test
  void lookingLeavesNothing() {
    store.locks().inspect("never used").toCompletableFuture().join();
    store
        .locks()
        .renew(new GrantAttempt.Id("never used", "a", 1), 1_000_000)
        .toCompletableFuture()
        .join();
    clock.addAndGet(RETENTION_MICROS + 1);
    assertThat(names(10)).isEmpty();
  }

  @Test
  void uriNamesTheStore() {
    try (Sluice one = Sluice.connect("memory:shop");
        Sluice same = Sluice.connect("memory:shop");
        Sluice other = Sluice.connect("memory:")) {
      var lease = one.lock("seat").tryAcquire().orElseThrow();
      assertThat(same.lock("seat").tryAcquire()).isEmpty();
      assertThat(other.lock("seat").tryAcquire()).isPresent();
      lease.close();
    }
  }
}
