package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.BackendException;
import dev.sluice.ForeignDataException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.Sluice;
import dev.sluice.redis.command.Reply;
import dev.sluice.redis.connection.Clients;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisServer;
import dev.sluice.servers.TcpProxy;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantRequest;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each kind of wrong server, wrong address and wrong data, and the text that people get to see. */
@EachRedis
class RedisBadInputIT {
  private static final BackendSettings SETTINGS = new BackendSettings(Duration.ofSeconds(2));

  private final RedisServer server;

  /** A grant that has expired, as a Lua expression. */
  private static final String GRANT =
      "struct.pack('>I7I7I2I4I7I7I7c1Bc0', 1, 17, 1, 1, 20, 3, 17, 'H', 1, 'a')";

  RedisBadInputIT(RedisServer server) {
    this.server = server;
  }

  @BeforeEach
  void flush() {
    server.call("FLUSHALL");
  }

  @Test
  void aListUnderOurKey() {
    server.call("RPUSH", "sl:{x}:lock", "a");
    assertForeign(
        "key 'sl:{x}:lock' on "
            + place()
            + " holds a list, which Sluice did not write;"
            + " look at it and remove it");
    assertThat(server.call("LLEN", "sl:{x}:lock")).isEqualTo(1L);
  }

  @Test
  void textUnderOurKey() {
    assertForeignText("hello");
    assertForeignText("99999999999999999999999");
    assertForeignText("");
    assertForeignText("1 17 0 0 - 0 0 a");
  }

  @Test
  void aStateThatIsCutOffOrOfAnotherVersionOrBeyondTheLastToken() {
    assertForeignBytes("'>I1I7I4I1I4I7I7Bc0', 4, 17, 1, 0, 0, 0, 0, 1, '-'");
    assertForeignBytes("'>I1I7I4I1I4I7I7Bc0', 7, 17, 1, 0, 0, 0, 0, 1, '-'");
    assertForeignBytes("'>I1I7I4I1I4I7I7Bc0', 6, 17, 1, 0, 0, 0, 0, 1, '-'");
    assertForeignBytes("'>I1I7I4I1I4I7I7', 5, 17, 1, 0, 0, 0, 0");
    assertForeignBytes("'>I1I7I4I1I4I7I7Bc0B', 5, 17, 1, 0, 0, 0, 0, 1, '-', 0");
    assertForeignBytes("'>I1I7I4I1I4I7I7Bc0', 5, 9007199254740992, 1, 0, 0, 0, 0, 1, '-'");
    assertForeignGrants(0, GRANT);
    assertForeignGrants(2, GRANT);
    assertForeignGrants(1, GRANT + " .. " + GRANT);
    assertForeignGrants(2, GRANT + " .. 'x'");
    assertForeignGrants(0xffffffffL, GRANT + " .. " + GRANT);
  }

  private void assertForeignGrants(long count, String grants) {
    assertForeignBytes(
        "'>I1I7I4I1I4I7I7Bc0I4', 6, 17, 1, 0, 0, 0, 0, 1, '-', " + count + ") .. (" + grants);
  }

  private void assertForeignBytes(String packed) {
    pack(packed);
    Object before = server.call("DUMP", "sl:{x}:lock");
    try (RedisBackend backend = RedisBackend.connect(server.uri(), SETTINGS)) {
      assertThatThrownBy(() -> get(backend.locks().acquire(request("a", 1, false))))
          .cause()
          .isInstanceOf(ForeignDataException.class)
          .hasMessageStartingWith("key 'sl:{x}:lock' on " + place() + " holds a text '");
    }
    assertThat(server.call("DUMP", "sl:{x}:lock")).isEqualTo(before);
  }

  private void pack(String packed) {
    server.call(
        "EVAL", "redis.call('SET', KEYS[1], struct.pack(" + packed + "))", "1", "sl:{x}:lock");
  }

  private void assertForeignText(String text) {
    server.call("SET", "sl:{x}:lock", text);
    assertForeign(
        "key 'sl:{x}:lock' on "
            + place()
            + " holds a text '"
            + text
            + "', which Sluice did not write; look at it and remove it");
    assertThat(server.call("GET", "sl:{x}:lock")).isEqualTo(text);
  }

  @Test
  void oddBytesUnderOurKeyAreShownAsQuestionMarks() {
    server.call("SET", "sl:{x}:lock", "a\r\nb>c<\u00e4");
    assertForeign(
        "key 'sl:{x}:lock' on "
            + place()
            + " holds a text 'a??b?c???', which Sluice did"
            + " not write; look at it and remove it");
  }

  @Test
  void foreignDataBesideOurKeyStopsBeforeAnythingIsWritten() {
    try (RedisBackend backend = RedisBackend.connect(server.uri(), SETTINGS)) {
      get(backend.locks().acquire(request("a", 1, false)));
      String lock = String.valueOf(server.call("GET", "sl:{x}:lock"));
      for (String part : new String[] {"queue", "tickets"}) {
        server.call("SET", "sl:{x}:" + part, "mine");
        assertThatThrownBy(() -> get(backend.locks().acquire(request("b", 1, true))))
            .cause()
            .isInstanceOf(ForeignDataException.class)
            .hasMessageContaining("key 'sl:{x}:" + part + "' on " + place() + " holds a string,");
        assertThat(server.call("GET", "sl:{x}:lock")).isEqualTo(lock);
        assertThat(server.call("GET", "sl:{x}:" + part)).isEqualTo("mine");
        assertThat(server.call("DBSIZE")).isEqualTo(2L);
        server.call("DEL", "sl:{x}:" + part);
      }
      get(backend.locks().release(new GrantAttempt.Id("x", "a", 1), 0));
      get(backend.locks().acquire(request("b", 1, false)));
      server.call("SET", "sl:{x}:over", "mine");
      String held = String.valueOf(server.call("GET", "sl:{x}:lock"));
      assertThatThrownBy(() -> get(backend.locks().release(new GrantAttempt.Id("x", "b", 1), 0)))
          .cause()
          .isInstanceOf(ForeignDataException.class)
          .hasMessageContaining("key 'sl:{x}:over' on " + place() + " holds a string,");
      assertThat(server.call("GET", "sl:{x}:lock")).isEqualTo(held);
      assertThat(server.call("GET", "sl:{x}:over")).isEqualTo("mine");
    }
  }

  @Test
  void theLastTokenIsNotPassed() {
    pack("'>I1I7I4I1I4I7I7Bc0', 5, 9007199254740991, 1, 0, 0, 0, 0, 1, '-'");
    Object last = server.call("DUMP", "sl:{x}:lock");
    try (RedisBackend backend = RedisBackend.connect(server.uri(), SETTINGS)) {
      assertThatThrownBy(() -> get(backend.locks().acquire(request("a", 1, false))))
          .cause()
          .isInstanceOf(ForeignDataException.class)
          .hasMessage(
              "'x' has no fencing token left: the last one is 9007199254740991; use another name");
      assertThat(server.call("DUMP", "sl:{x}:lock")).isEqualTo(last);
    }
  }

  @Test
  void aWrongPort() throws Exception {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    assertThatThrownBy(() -> RedisBackend.connect("redis://127.0.0.1:" + port, SETTINGS))
        .isInstanceOf(BackendException.class)
        .hasMessage("Redis at 127.0.0.1:" + port + " cannot be used: Connection refused");
  }

  @Test
  void aPortOfAnotherProtocol() throws Exception {
    HttpServer http =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    http.start();
    int port = http.getAddress().getPort();
    try {
      assertThatThrownBy(() -> RedisBackend.connect("redis://127.0.0.1:" + port, SETTINGS))
          .isInstanceOf(BackendException.class)
          .hasMessage(
              "Redis at 127.0.0.1:"
                  + port
                  + " cannot be used: the server does not speak the Redis protocol");
    } finally {
      http.stop(0);
    }
  }

  @Test
  void aConnectionThatIsClosedWithoutAMessageIsExplained() {
    assertThat(Clients.reason(new RedisConnectionException("no", new ClosedChannelException())))
        .isEqualTo("the connection was closed before the server answered");
  }

  @Test
  void aFailureOfTheNativeTransportIsInTheWordsOfTheSystem() {
    ConnectException refused =
        new ConnectException("finishConnect(..) failed with error(-111): Connection refused");
    assertThat(Clients.reason(new RedisConnectionException("no", refused)))
        .isEqualTo("Connection refused");
  }

  @Test
  void aConnectionThatEndsBeforeTheAnswerIsMadeOnceMore() {
    AtomicInteger connections = new AtomicInteger();
    TcpProxy.Filter end =
        (bytes, count, out) -> {
          throw new IOException("ended");
        };
    TcpProxy.Filter pass = (bytes, count, out) -> out.write(bytes, 0, count);
    try (RedisServer guarded = RedisServer.start("--requirepass", "right");
        TcpProxy proxy =
            new TcpProxy(guarded.port(), () -> connections.getAndIncrement() == 0 ? end : pass)) {
      assertThatThrownBy(
              () -> RedisBackend.connect("redis://:wr0ng@127.0.0.1:" + proxy.port(), SETTINGS))
          .isInstanceOf(BackendException.class)
          .hasMessageContaining("WRONGPASS");
      assertThat(connections).hasValue(2);
    }
  }

  @Test
  void aWrongOrMissingPassword(RedisBinary binary) {
    try (RedisServer guarded = RedisServer.start(binary, "--requirepass", "right")) {
      String place = "127.0.0.1:" + guarded.port();
      assertThatThrownBy(() -> RedisBackend.connect("redis://:wr0ng@" + place, SETTINGS))
          .isInstanceOf(BackendException.class)
          .hasMessage(
              "Redis at "
                  + place
                  + " cannot be used: WRONGPASS invalid username-password pair or"
                  + " user is disabled.")
          .satisfies(e -> assertNowhere(e, "wr0ng"));
      assertThatThrownBy(() -> RedisBackend.connect("redis://" + place, SETTINGS))
          .isInstanceOf(BackendException.class)
          .hasMessage(
              "Redis at "
                  + place
                  + " cannot be used: a password is required, and none was given (NOAUTH)");
      try (RedisBackend backend = RedisBackend.connect("redis://:right@" + place, SETTINGS)) {
        assertThat(backend.describe()).isEqualTo("Redis at " + place);
      }
    }
  }

  @Test
  void tlsToAPlainPort() {
    assertThatThrownBy(() -> RedisBackend.connect("rediss://127.0.0.1:" + server.port(), SETTINGS))
        .isInstanceOf(BackendException.class)
        .hasMessageMatching(
            place()
                + " with TLS cannot be used: the server does not speak TLS"
                + "(, or it did not answer within 2s)?"); // a greeting may contain the end of a
    // line
  }

  @Test
  void aServerThatAcceptsAndNeverAnswers() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String uri = "redis://127.0.0.1:" + silent.getLocalPort();
      BackendSettings impatient = new BackendSettings(Duration.ofMillis(300));
      assertThatThrownBy(() -> RedisBackend.connect(uri, impatient))
          .isInstanceOf(BackendException.class)
          .hasMessage(
              "Redis at 127.0.0.1:"
                  + silent.getLocalPort()
                  + " cannot be used: Connection initialization timed out after 300"
                  + " millisecond(s)");
    }
  }

  @Test
  void aWaitEndsByItsOwnDeadlineWhenTheServerFallsSilent(RedisBinary binary) throws Exception {
    try (RedisServer own = RedisServer.start(binary);
        Sluice sluice =
            Sluice.builder().uri(own.uri()).requestTimeout(Duration.ofMillis(500)).build()) {
      sluice.lock("x").tryAcquire().orElseThrow().close();
      own.pause();
      assertThatThrownBy(() -> sluice.lock("x").tryAcquire())
          .isInstanceOf(OutcomeUnknownException.class)
          .hasMessage(
              "lock 'x': Redis at 127.0.0.1:"
                  + own.port()
                  + " did not answer 'acquire' within"
                  + " 500ms");
      own.resume();
      sluice.lock("x").acquire(Duration.ofSeconds(20)).close();
      own.pause();
      long start = System.nanoTime();
      assertThatThrownBy(() -> sluice.lock("y").acquire(Duration.ofMillis(700)))
          .isExactlyInstanceOf(OutcomeUnknownException.class)
          .hasMessageMatching(
              "lock 'y': not acquired within \\d+ms; Redis at 127.0.0.1:"
                  + own.port()
                  + " did not answer; a grant that comes late is released");
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
      own.resume();
      try (var lease = sluice.lock("x").acquire(Duration.ofSeconds(20))) {
        lease.checkHeld();
      }
    }
  }

  @Test
  void addressesThatMakeNoSense() {
    assertBadUri("redis://", "redis://");
    assertBadUri("redis://:s3cret@host:99999", "redis://***@host:99999");
    assertBadUri("redis://user:s3 cret@host", "redis://***@host");
    assertBadUri("redis-sentinel://:s3cret@host:26379", "redis-sentinel://***@host:26379");
    assertThatThrownBy(() -> RedisBackend.connect("redis://:s3cret@host:abc", SETTINGS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("not a Redis URI: 'redis://***@host:abc'; the port is not a number");
  }

  @ParameterizedTest
  @ValueSource(strings = {"foo=bar", "timeout=2s&replica=1", "verify_peer=NONE", "TLS=true#master"})
  void optionsThatNobodyReadsAreRefused(String options) {
    String name = options.replaceAll("^timeout=2s&|=.*", "");
    for (String uri :
        List.of(
            "redis://:s3cret@host?", "rediss://host/2?", "redis-sentinel://:s3cret@host:26379?")) {
      String whole =
          uri + options + (uri.contains("sentinel") && !options.contains("#") ? "#m" : "");
      assertThatThrownBy(() -> RedisBackend.connect(whole, SETTINGS))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("a Redis URI has no option '" + name + "'")
          .satisfies(e -> assertNowhere(e, "s3"));
    }
  }

  /** A cluster has no database, and one timeout and name for all its connections. */
  @ParameterizedTest
  @ValueSource(strings = {"foo", "timeout", "database", "clientName", "maxTtl"})
  void optionsThatNoClusterHasAreRefused(String name) {
    for (String scheme : List.of("redis-cluster", "rediss-cluster")) {
      String uri = scheme + "://u:s3cret@a:7001,b:7002?replicas=1&" + name + "=1";
      assertThatThrownBy(() -> RedisBackend.connect(uri, SETTINGS))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("a Redis URI has no option '" + name + "' for a cluster")
          .satisfies(e -> assertNowhere(e, "s3"));
    }
  }

  private static void assertBadUri(String uri, String shown) {
    assertThatThrownBy(() -> RedisBackend.connect(uri, SETTINGS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "not a Redis URI: '"
                + shown
                + "'; expected"
                + " redis://[user:password@]host[:port][/database], or"
                + " redis-sentinel://host[:port],host[:port]/#master, or the same with rediss for"
                + " TLS")
        .satisfies(e -> assertNowhere(e, "s3"));
  }

  @Test
  void nothingWhereSomethingIsNeeded() {
    RedisClient client = RedisClient.create();
    RedisURI uri = RedisURI.create(server.uri());
    try (var commands = client.connect(uri);
        var inbox = client.connectPubSub(uri)) {
      assertNull("uri", () -> RedisBackend.connect(null, SETTINGS));
      assertNull("settings", () -> RedisBackend.connect(server.uri(), null));
      RedisBackendBuilder builder = RedisBackend.builder();
      assertNull("client", () -> builder.client(null, uri));
      assertNull("target", () -> builder.client(client, null));
      assertNull("cluster", () -> builder.cluster(null));
      assertNull("commands", () -> builder.connections(null, inbox));
      assertNull("inbox", () -> builder.connections(commands, null));
      builder.connections(commands, inbox);
      try (RedisBackend backend = builder.build()) {
        assertThat(get(backend.locks().names(1))).isNotNull();
      }
      assertThatThrownBy(builder.replicas(ReplicaPolicy.atLeast(1))::build)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              "replicas needs a separate connection: give a client in place of connections");
      assertThatThrownBy(builder.uri(server.uri())::build)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              "give a uri, a server, the servers of a cluster, a client, a cluster or connections,"
                  + " one of them");
    } finally {
      client.shutdown(0, 2, TimeUnit.SECONDS);
    }
  }

  private static void assertNull(String what, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(NullPointerException.class)
        .hasMessage(what + " must not be null");
  }

  @Test
  void anAnswerThatIsTooShort() {
    Reply reply = new Reply("acquire");
    reply.set(1);
    assertThatThrownBy(() -> reply.number(1))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessage("'acquire' was answered with 1 numbers; number 2 is missing");
  }

  @Test
  void aForeignTicketStopsEachVerbBeforeItWrites() {
    try (RedisBackend backend = RedisBackend.connect(server.uri(), SETTINGS)) {
      get(backend.locks().acquire(request("a", 1, false)));
      get(backend.locks().acquire(request("b", 1, true)));
      get(backend.locks().acquire(request("c", 1, true)));
      server.call("HDEL", "sl:{x}:tickets", "b"); // dead: a sweep would drop it
      server.call("HSET", "sl:{x}:tickets", "c", "mine");
      Object lock = server.call("DUMP", "sl:{x}:lock");
      String message =
          "key 'sl:{x}:tickets' on "
              + place()
              + " holds a text 'mine', which Sluice did not write; look at it and remove it";
      assertOneForeign(
          () -> get(backend.locks().release(new GrantAttempt.Id("x", "a", 1), 0)), message);
      assertOneForeign(
          () -> get(backend.locks().renew(new GrantAttempt.Id("x", "a", 1), 10_000_000)), message);
      assertOneForeign(() -> get(backend.locks().acquire(request("a", 2, true))), message);
      assertOneForeign(() -> get(backend.locks().acquire(request("d", 1, true))), message);
      assertThat(server.call("DUMP", "sl:{x}:lock")).isEqualTo(lock);
      assertThat(server.call("ZRANGE", "sl:{x}:queue", "0", "-1")).isEqualTo(List.of("b", "c"));
      assertThat(server.call("HGETALL", "sl:{x}:tickets")).isEqualTo(List.of("c", "mine"));
      assertThat(server.call("DBSIZE")).isEqualTo(3L);
    }
  }

  @Test
  void clientsThatWouldNotBeReadBack() {
    try (RedisBackend backend = RedisBackend.connect(server.uri(), SETTINGS)) {
      for (String client : new String[] {"", "-", "a b", "a\n", "\u00e4"}) {
        assertThatThrownBy(() -> backend.locks().release(new GrantAttempt.Id("x", client, 1), 0))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage(
                "client must be visible ASCII without blanks, and not '-': '" + client + "'");
      }
    }
  }

  private static void assertNowhere(Throwable failure, String secret) {
    for (Throwable t = failure; t != null; t = t.getCause()) {
      assertThat(t.toString()).doesNotContain(secret);
    }
  }

  private void assertForeign(String message) {
    try (RedisBackend backend = RedisBackend.connect(server.uri(), SETTINGS)) {
      assertOneForeign(() -> get(backend.locks().acquire(request("a", 1, true))), message);
      assertOneForeign(
          () -> get(backend.locks().renew(new GrantAttempt.Id("x", "a", 1), 1_000_000)), message);
      assertOneForeign(
          () -> get(backend.locks().release(new GrantAttempt.Id("x", "a", 1), 0)), message);
      assertOneForeign(() -> get(backend.locks().inspect("x")), message);
    }
  }

  private static void assertOneForeign(ThrowingCallable call, String message) {
    assertThatThrownBy(call).cause().isInstanceOf(ForeignDataException.class).hasMessage(message);
  }

  private String place() {
    return "Redis at 127.0.0.1:" + server.port();
  }

  private static GrantRequest request(String client, long attempt, boolean queue) {
    return new GrantRequest("x", client, attempt, 10_000_000, 1, queue);
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
  }
}
