package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockInfo;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.RenewReply;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@EachRedis
class RedisBackendIT {
  private static final BackendSettings SETTINGS = new BackendSettings(Duration.ofSeconds(20));
  private static final long TTL = 10_000_000;

  private final RedisServer server;
  private RedisBackend backend;

  RedisBackendIT(RedisServer server) {
    this.server = server;
  }

  @BeforeEach
  void connect() {
    server.call("FLUSHALL");
    backend = RedisBackend.connect(server.uri(), SETTINGS);
  }

  @AfterEach
  void disconnect() {
    backend.close();
  }

  @Test
  void grantsRenewsAndFrees() {
    GrantReply reply = get(backend.locks().acquire(request("a", 1, false)));
    assertThat(reply).isInstanceOf(GrantReply.Granted.class);
    long token = ((GrantReply.Granted) reply).token();
    assertThat(token).isGreaterThan(1_700_000_000_000_000L);
    assertThat(get(backend.locks().acquire(request("b", 1, false))))
        .isInstanceOf(GrantReply.Busy.class);
    assertThat(get(backend.locks().renew(new GrantAttempt.Id("x", "a", 1), TTL)))
        .isInstanceOf(RenewReply.Renewed.class);
    assertThat(get(backend.locks().renew(new GrantAttempt.Id("x", "b", 1), TTL)))
        .isEqualTo(new RenewReply.Gone());
    LockInfo info = get(backend.locks().inspect("x")).asLock();
    assertThat(info.holder().orElseThrow().client()).isEqualTo("a");
    assertThat(info.holder().orElseThrow().token()).isEqualTo(token);
    assertThat(info.lastToken()).isEqualTo(token);
    assertThat(get(backend.locks().names(10))).containsExactly("x");
    assertThat(get(backend.locks().release(new GrantAttempt.Id("x", "a", 1), 0))).isTrue();
    assertThat(get(backend.locks().release(new GrantAttempt.Id("x", "a", 1), 0))).isFalse();
    assertThat(get(backend.locks().acquire(request("a", 1, false))))
        .isEqualTo(new GrantReply.Over());
  }

  @Test
  void callsKeepTheirOrderOnAServerThatDoesNotKnowAllScripts() {
    long attempt = 0;
    for (boolean whileHeld : new boolean[] {false, true}) {
      for (int i = 0; i < 10; i++) {
        server.call("SCRIPT", "FLUSH");
        assertThat(get(backend.locks().acquire(request("a", ++attempt, false))))
            .isInstanceOf(GrantReply.Granted.class);
        if (whileHeld) {
          server.call("SCRIPT", "FLUSH");
        }
        CompletionStage<Boolean> freed =
            backend.locks().release(new GrantAttempt.Id("x", "a", attempt), 0);
        CompletionStage<GrantReply> again = backend.locks().acquire(request("a", ++attempt, false));
        assertThat(get(freed)).as("the release came first").isTrue();
        assertThat(get(again)).isInstanceOf(GrantReply.Granted.class);
        assertThat(get(backend.locks().release(new GrantAttempt.Id("x", "a", attempt), 0)))
            .isTrue();
      }
    }
  }

  @Test
  void queuesAndHandsOverWithAMessage() throws Exception {
    BlockingQueue<LockMessage> messagesOfA = new LinkedBlockingQueue<>();
    BlockingQueue<LockMessage> messagesOfB = new LinkedBlockingQueue<>();
    get(backend.locks().listen("a", messagesOfA::add));
    get(backend.locks().listen("b", messagesOfB::add));
    get(backend.locks().acquire(request("a", 1, false)));
    assertThat(get(backend.locks().acquire(request("b", 1, true))))
        .isInstanceOf(GrantReply.Queued.class);
    assertThat(messagesOfA.poll(60, TimeUnit.SECONDS))
        .isEqualTo(new LockMessage(LockMessage.Kind.WANTED, "x"));
    assertThat(get(backend.locks().inspect("x")).asLock().waiters())
        .containsExactly(new LockInfo.Waiter("b", 1));
    get(backend.locks().release(new GrantAttempt.Id("x", "a", 1), 0));
    assertThat(messagesOfB.poll(60, TimeUnit.SECONDS))
        .isEqualTo(new LockMessage(LockMessage.Kind.GRANTED, "x"));
    assertThat(get(backend.locks().acquire(request("b", 1, true))))
        .isInstanceOf(GrantReply.Granted.class);
    get(backend.locks().release(new GrantAttempt.Id("x", "b", 1), 0));
    assertThat(server.call("DBSIZE")).isEqualTo(2L);
    assertThat(server.call("EXISTS", "sl:{x}:lock", "sl:{x}:over")).isEqualTo(2L);
  }

  @Test
  void servesTheWholeApi() throws Exception {
    try (Sluice one = PatientClient.connect(server.uri());
        Sluice two = PatientClient.connect(server.uri())) {
      Lease lease = one.lock("x").tryAcquire().orElseThrow();
      assertThat(two.lock("x").tryAcquire()).isEmpty();
      lease.close();
      try (Lease next = two.lock("x").acquire(Duration.ofSeconds(60))) {
        assertThat(next.token()).isGreaterThan(lease.token());
      }
    }
  }

  @Test
  void refusesToWorkAfterItWasClosed() {
    backend.close();
    backend.close();
    assertThatThrownBy(() -> get(backend.locks().acquire(request("a", 1, false))))
        .hasRootCauseMessage("this Redis backend is closed");
    assertThatThrownBy(() -> get(backend.locks().names(1)))
        .hasRootCauseMessage("this Redis backend is closed");
    assertThatThrownBy(() -> get(backend.locks().listen("a", message -> {})))
        .hasRootCauseMessage("this Redis backend is closed");
  }

  private static GrantRequest request(String client, long attempt, boolean queue) {
    return new GrantRequest("x", client, attempt, TTL, 1, queue);
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
  }
}
