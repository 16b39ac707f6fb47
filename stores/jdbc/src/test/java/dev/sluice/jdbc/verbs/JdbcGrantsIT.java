package dev.sluice.jdbc.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.jdbc.Dialect;
import dev.sluice.jdbc.JdbcBackend;
import dev.sluice.jdbc.JdbcStoreUnderTest;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** Clients of one process on a database that sends no messages: the process polls. */
class JdbcGrantsIT {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final long TTL_MICROS = PATIENCE.toSeconds() * 1_000_000;

  private final JdbcStoreUnderTest store = new JdbcStoreUnderTest(Dialect.H2);
  private final Queue<LockMessage.Kind> heard = new ConcurrentLinkedQueue<>();

  private static GrantRequest request(String client, int units, boolean queue) {
    return new GrantRequest("seat", client, 1, TTL_MICROS, units, units, units, false, 1, queue);
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  private void listen(GrantBackend grants) {
    get(grants.listen("a", message -> heard.add(message.kind())));
    get(grants.listen("b", message -> {}));
  }

  @Test
  void stepOfAnotherClientDoesNotHideThatALockWasTaken() {
    try (JdbcBackend here = store.connectInRealTime();
        JdbcBackend elsewhere = store.connectInRealTime()) {
      GrantBackend locks = here.locks();
      listen(locks);
      assertThat(get(locks.acquire(request("a", 1, false)))).isInstanceOf(GrantReply.Granted.class);

      assertThat(get(elsewhere.locks().force().orElseThrow().force("seat", 0))).isPresent();
      assertThat(get(locks.acquire(request("b", 1, false)))).isInstanceOf(GrantReply.Granted.class);

      await().atMost(PATIENCE).until(() -> heard.contains(LockMessage.Kind.TAKEN));
    }
  }

  @Test
  void stepOfAnotherClientDoesNotHideThatPermitsCameFree() {
    try (JdbcBackend here = store.connectInRealTime();
        JdbcBackend elsewhere = store.connectInRealTime()) {
      GrantBackend permits = here.permits();
      listen(permits);
      assertThat(get(elsewhere.permits().acquire(request("z", 2, false))))
          .isInstanceOf(GrantReply.Granted.class);
      assertThat(get(permits.acquire(request("a", 2, true)))).isInstanceOf(GrantReply.Queued.class);

      assertThat(get(elsewhere.permits().release(new GrantAttempt.Id("seat", "z", 1), 0))).isTrue();
      get(permits.acquire(request("b", 2, true)));

      await().atMost(PATIENCE).until(() -> heard.contains(LockMessage.Kind.GRANTED));
    }
  }
}
