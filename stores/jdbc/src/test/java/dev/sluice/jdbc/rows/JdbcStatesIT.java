package dev.sluice.jdbc.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.ForeignDataException;
import dev.sluice.Sluice;
import dev.sluice.jdbc.Dialect;
import dev.sluice.jdbc.JdbcBackend;
import dev.sluice.jdbc.JdbcStoreUnderTest;
import dev.sluice.jdbc.OpenedJdbc;
import dev.sluice.jdbc.RowLocking;
import dev.sluice.jdbc.dialect.SqlDialect;
import dev.sluice.jdbc.verbs.LimitingProcess;
import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.lock.DistributedSemaphore;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import dev.sluice.servers.JavaCommand;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.LimitRule;
import dev.sluice.spi.ThrottleRequest;
import dev.sluice.state.LimitState;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Permits, latches and limits in rows: what only a SQL database can get wrong. */
class JdbcStatesIT {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration LONG = Duration.ofDays(300);
  private static final long HOUR = TimeUnit.HOURS.toMicros(1);

  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  private JdbcBackend backend(JdbcStoreUnderTest store) {
    JdbcBackend made = store.connectInRealTime();
    open.add(made);
    return made;
  }

  private Sluice client(JdbcBackend backend) {
    Sluice made = Sluice.builder().backend(backend).build();
    open.add(made);
    return made;
  }

  private static RateLimiterOptions patient(Limit... limits) {
    return RateLimiterOptions.of(limits).deadline(PATIENCE);
  }

  private static long rows(JdbcStoreUnderTest store) {
    return number(store, "SELECT COUNT(*) FROM sluice_states")
        + number(store, "SELECT COUNT(*) FROM sluice_locks");
  }

  private static long number(JdbcStoreUnderTest store, String sql) {
    try (Connection connection = store.database().connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  @Test
  void whatIsOverIsNotOnTheTimerAnyMore() {
    JdbcBackend backend = backend(new JdbcStoreUnderTest(Dialect.H2));
    DistributedSemaphore permits =
        client(backend).semaphore("permits", 3, LockOptions.fixed(Duration.ofHours(1)));
    int before = OpenedJdbc.planned(backend);
    for (int i = 0; i < 50; i++) {
      permits.tryAcquire().orElseThrow().close();
    }
    await().atMost(PATIENCE).until(() -> OpenedJdbc.planned(backend) <= before + 5);
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void namesThatLookAlikeAreApart(Dialect dialect) {
    JdbcStoreUnderTest store = new JdbcStoreUnderTest(dialect);
    Sluice client = client(backend(store));
    String[][] names = {
      {"a", "b"},
      {"a:1", "b"},
      {"a", "1:b"},
      {"a", "B"},
      {"a", "b "},
      {"A", "b"},
      {"a", "b%"},
      {"a", "b%25"},
      {"a", "b\u0000"},
      {"a", "\u00e9"},
      {"a", "e\u0301"},
      {"a", "{b}"},
      {"1:a", "b"},
      {"\u0001".repeat(512), "\u0002".repeat(512)},
      {"\u0001".repeat(512), "\u0003".repeat(512)}
    };
    for (String[] name : names) {
      RateLimiter limiter = client.rateLimiter(name[0], patient(Limit.fixedWindow(1, LONG)));
      assertThat(limiter.tryAcquire(name[1]).allowed()).as("%s %s", (Object[]) name).isTrue();
      assertThat(limiter.tryAcquire(name[1]).allowed()).as("%s %s", (Object[]) name).isFalse();
    }
    assertThat(rows(store)).isEqualTo(names.length);
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void whatSaysNothingAnyMoreIsDeleted(Dialect dialect) throws Exception {
    JdbcStoreUnderTest store = new JdbcStoreUnderTest(dialect);
    JdbcBackend backend = backend(store);
    Sluice client = client(backend);
    Duration brief = Duration.ofMillis(300);
    client.rateLimiter("full", patient(Limit.gcra(3, brief))).tryAcquire("k");
    client.rateLimiter("line", patient(Limit.leakyQueue(1, brief).places(9))).tryAcquire("k");
    client.throttle().clThrottle("k", 0, 100, 1, 1);
    client.rateLimiter("spent", patient(Limit.gcra(3, LONG))).tryAcquire("k");
    Duration keep = Duration.ofSeconds(3);
    long start = System.nanoTime();
    client.latch("open").trySetCount(1, keep);
    client.semaphore("held", 3, LockOptions.fixed(PATIENCE)).tryAcquire();
    assertThat(rows(store)).isEqualTo(6);
    get(OpenedJdbc.sweep(backend));
    long left = rows(store);
    if (System.nanoTime() - start < keep.toNanos()) { // else the latch is over
      assertThat(left).isGreaterThan(2);
    }

    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              get(OpenedJdbc.sweep(backend));
              return rows(store) == 2;
            });
    assertThat(number(store, "SELECT COUNT(*) FROM sluice_states WHERE kind = 'limit'")).isOne();
    assertThat(number(store, "SELECT COUNT(*) FROM sluice_locks WHERE kind = 'permit'")).isOne();
    long most =
        number(
            store,
            "SELECT MAX(forget_at) - "
                + SqlDialect.valueOf(dialect.name()).now
                + " FROM sluice_states");
    assertThat(most)
        .as("bound to go, the one as the other")
        .isLessThan(LONG.toSeconds() * 1_000_000);
  }

  @Test
  void lookingWritesNothing() {
    JdbcStoreUnderTest store = new JdbcStoreUnderTest(Dialect.H2);
    Sluice client = client(backend(store));
    client.rateLimiter("a", patient(Limit.gcra(3, LONG))).peek("k", 1);
    client
        .rateLimiter("b", patient(Limit.leakyQueue(1, Duration.ofMinutes(1)).places(9)))
        .peek("k", 1);
    client.inspect().permits("c");
    client.latch("d").info();
    assertThat(rows(store)).isZero();
  }

  /** Decisions of an hour ahead stand in the rows, as if the clock had gone back since. */
  @ParameterizedTest
  @EnumSource(Dialect.class)
  void clockThatGoesBackLocksNobodyOut(Dialect dialect) {
    JdbcStoreUnderTest store = new JdbcStoreUnderTest(dialect);
    JdbcBackend backend = backend(store);
    Duration window = Duration.ofMillis(600);
    RateLimiter limiter = client(backend).rateLimiter("l", patient(Limit.slidingLog(2, window)));
    List<LimitRule> rules =
        LimitRule.of(List.of(Limit.slidingLog(2, window)), 0, CarryOver.KEEP, 0);
    LimitRequest two = new LimitRequest(LimitRequest.Verb.TAKE, "l", "k", rules, 2, 1, 0, 0);
    get(
        OpenedJdbc.rows(backend)
            .decide(
                "limit",
                "1:l:1:k",
                Codecs.CELL,
                (now, cell, post) ->
                    LimitState.decide(now + HOUR, two, new LimitState.Cell[] {cell})));
    assertThat(limiter.tryAcquire("k").allowed()).as("what was spent counts still").isFalse();
    await().atMost(PATIENCE).until(() -> limiter.tryAcquire("k").allowed());
    assertThat(limiter.stats().clockSteps()).isPositive();

    GrantRequest dies =
        new GrantRequest("p", "dead", 1, window.toMillis() * 1000, 1, 1, 1, false, 1, true);
    GrantReply held = get(backend.permits().acquire(dies));
    store
        .database()
        .execute(
            ("UPDATE sluice_locks SET version = version + 1, fence = fence + %1$d,"
                    + " token = token + %1$d, since = since + %1$d, expires_at = expires_at + %1$d,"
                    + " last_use = last_use + %1$d, forget_at = forget_at + %1$d")
                .formatted(HOUR));
    long token = ((GrantReply.Granted) held).token() + HOUR;
    DistributedSemaphore seats =
        client(backend).semaphore("p", 1, LockOptions.fixed(Duration.ofSeconds(10)));
    assertThat(seats.tryAcquire()).as("it is held for its TTL").isEmpty();
    Lease next = seats.async().acquire(PATIENCE).toCompletableFuture().join();
    assertThat(next.token()).isGreaterThan(token);
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void whatSluiceDidNotWriteIsReportedAndLeftAlone(Dialect dialect) {
    JdbcStoreUnderTest store = new JdbcStoreUnderTest(dialect);
    JdbcBackend backend = backend(store);
    Sluice client = client(backend);
    client.latch("x").trySetCount(3);
    client.semaphore("y", 3, LockOptions.fixed(PATIENCE)).tryAcquire();
    get(backend.limits().throttle("z", ThrottleRequest.of(3, 1, 60, 1)));
    String foreign = dialect == Dialect.POSTGRESQL ? "'\\x0102'::bytea" : "X'0102'";
    store
        .database()
        .execute(
            "UPDATE sluice_states SET state = " + foreign,
            "UPDATE sluice_locks SET rest = " + foreign);
    assertThatThrownBy(() -> client.latch("x").countDown())
        .isInstanceOf(ForeignDataException.class)
        .hasMessageContaining("latch 'x' in table 'sluice_states' holds");
    assertThatThrownBy(() -> client.inspect().permits("y"))
        .isInstanceOf(ForeignDataException.class)
        .hasMessageContaining("permit 'y' in table 'sluice_locks' holds");
    assertThatThrownBy(() -> client.throttle().clThrottle("z", 3, 1, 60, 1))
        .isInstanceOf(ForeignDataException.class)
        .hasMessageContaining("throttle 'z'");
    assertThat(number(store, "SELECT COUNT(*) FROM sluice_states WHERE state = " + foreign))
        .as("untouched")
        .isEqualTo(2);
    assertThat(number(store, "SELECT COUNT(*) FROM sluice_locks WHERE rest = " + foreign)).isOne();
  }

  @ParameterizedTest
  @EnumSource(RowLocking.class)
  void callersUnderTheStrictestIsolationNeverGetTooMany(RowLocking locking) {
    JdbcStoreUnderTest store = new JdbcStoreUnderTest(Dialect.POSTGRESQL);
    String strict = "&options=-c%20default_transaction_isolation%3Dserializable";
    assertThat(admitted(store.database().url() + strict, locking)).isEqualTo(100);
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "H2"})
  void callersWhoLockRowsNeverGetTooMany(Dialect dialect) {
    JdbcStoreUnderTest store = new JdbcStoreUnderTest(dialect);
    assertThat(admitted(store.database().url(), RowLocking.PESSIMISTIC)).isEqualTo(100);
  }

  /** Four processes with two threads each, and two tiers: one of each key, one of all keys. */
  private int admitted(String url, RowLocking locking) {
    AtomicInteger admitted = new AtomicInteger();
    List<CompletableFuture<Void>> callers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      JdbcBackend backend =
          JdbcBackend.builder().url(url).rowLocking(locking).requestTimeout(PATIENCE).build();
      open.add(backend);
      RateLimiter limiter =
          client(backend)
              .rateLimiter(
                  "l",
                  patient(
                      Limit.gcra(90, LONG).name("own"),
                      Limit.slidingWindow(100, LONG).name("all").shared()));
      for (int thread = 0; thread < 2; thread++) {
        String key = "k" + thread;
        callers.add(
            CompletableFuture.runAsync(
                () -> {
                  for (int call = 0; call < 30; call++) {
                    admitted.addAndGet(limiter.tryAcquire(key).allowed() ? 1 : 0);
                  }
                },
                task -> new Thread(task).start()));
      }
    }
    callers.forEach(CompletableFuture::join);
    return admitted.get();
  }

  @Test
  void twoProcessesOnOneFileNeverGetTooMany() throws Exception {
    JdbcStoreUnderTest store = new JdbcStoreUnderTest(Dialect.SQLITE);
    List<Process> processes = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Process process = process(store.database().url());
      open.add(process::destroyForcibly);
      processes.add(process);
    }
    List<BufferedReader> answers = processes.stream().map(JdbcStatesIT::output).toList();
    for (BufferedReader answer : answers) {
      assertThat(answer.readLine()).isEqualTo("ready");
    }
    for (Process process : processes) {
      process.getOutputStream().write('\n');
      process.getOutputStream().flush();
    }
    int admitted = 0;
    for (BufferedReader answer : answers) {
      String[] counts = answer.readLine().split(" ");
      admitted += Integer.parseInt(counts[0]);
      assertThat(counts[1]).as("answers that were not the store's").isEqualTo("0");
    }
    assertThat(admitted).isEqualTo(LimitingProcess.CAPACITY);
  }

  private static BufferedReader output(Process process) {
    return new BufferedReader(
        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  private static Process process(String url) throws IOException {
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    List<String> command =
        JavaCommand.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m", "-cp", path);
    command.addAll(List.of(LimitingProcess.class.getName(), url));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }
}
