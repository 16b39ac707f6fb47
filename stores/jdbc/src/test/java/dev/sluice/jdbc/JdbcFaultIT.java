package dev.sluice.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.Sluice;
import dev.sluice.jdbc.rows.Connections;
import dev.sluice.jdbc.rows.Rows;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import dev.sluice.servers.PostgresqlServer;
import dev.sluice.servers.TcpProxy;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A database that is slow, away, in the way, or of another mind. */
class JdbcFaultIT {
  private static final LockOptions LONG = LockOptions.renewing(Duration.ofSeconds(30));
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  private <T extends AutoCloseable> T closing(T made) {
    open.add(made);
    return made;
  }

  private static JdbcBackendBuilder settings(Database database) {
    return JdbcBackend.builder().url(database.url()).requestTimeout(Duration.ofSeconds(20));
  }

  private static CompletableFuture<GrantReply> acquire(
      JdbcBackend backend, String name, String client, long attempt) {
    return backend
        .locks()
        .acquire(new GrantRequest(name, client, attempt, 30_000_000, 1, false))
        .toCompletableFuture();
  }

  private static boolean isGranted(JdbcBackend backend, String client, long attempt) {
    return acquire(backend, "row", client, attempt).join() instanceof GrantReply.Granted;
  }

  @ParameterizedTest
  @EnumSource(
      value = Dialect.class,
      names = {"POSTGRESQL", "MARIADB"})
  void aLineThatBreaksBeforeTheReplyLeavesNoOrphan(Dialect dialect) {
    Database database = new JdbcStoreUnderTest(dialect).database();
    TcpProxy proxy = closing(new TcpProxy(Databases.port(dialect)));
    String url = database.url().replace(":" + Databases.port(dialect), ":" + proxy.port());
    JdbcBackend line =
        closing(
            JdbcBackend.builder()
                .url(url)
                .wakeUps(false)
                .requestTimeout(Duration.ofSeconds(30))
                .build());
    Sluice sluice = closing(Sluice.builder().backend(line).build());
    Sluice other = closing(Sluice.builder().backend(closing(settings(database).build())).build());
    // a row, and on PostgreSQL the way that needs one statement only
    sluice.lock("line", LONG).tryAcquire().orElseThrow().close();

    proxy.holdReplies(true);
    CompletableFuture<Lease> cut =
        sluice.lock("line", LONG).async().acquire(Duration.ZERO).toCompletableFuture();
    await().atMost(PATIENCE).until(() -> proxy.heldReplies() > 0);
    proxy.cut();
    proxy.holdReplies(false);
    if (dialect == Dialect.MARIADB) { // what was only read is read again
      assertThat(cut).succeedsWithin(PATIENCE);
      cut.join().close();
    } else {
      assertThat(cut)
          .failsWithin(PATIENCE)
          .withThrowableThat()
          .withCauseInstanceOf(BackendException.class);
    }

    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              var lease = other.lock("line", LONG).tryAcquire();
              lease.ifPresent(Lease::close);
              return lease.isPresent();
            });
    assertThat(sluice.lock("line", LONG).tryAcquire()).isPresent(); // the line is healed by itself
  }

  /** However many: one after the other would need a stack as deep as their line. */
  @Test
  void closingAnswersAllThatWaitForOneName() {
    JdbcBackend backend =
        JdbcBackend.builder()
            .url(new JdbcStoreUnderTest(Dialect.H2).database().url())
            .requestTimeout(Duration.ofHours(1))
            .build();
    List<CompletableFuture<GrantReply>> replies = new ArrayList<>();
    for (int attempt = 1; attempt <= 100_000; attempt++) {
      replies.add(acquire(backend, "row", "c", attempt));
    }
    backend.close();

    await().atMost(PATIENCE).until(() -> replies.stream().allMatch(CompletableFuture::isDone));
    assertThat(replies.get(replies.size() - 1))
        .isCompletedExceptionally()
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withMessageContaining("is closed");
  }

  @Test
  void aCallThatWasCutWhileItWroteIsSaidToBeUnknown() {
    Database database = new JdbcStoreUnderTest(Dialect.POSTGRESQL).database();
    TcpProxy proxy = closing(new TcpProxy(Databases.port(Dialect.POSTGRESQL)));
    String url =
        database.url().replace(":" + Databases.port(Dialect.POSTGRESQL), ":" + proxy.port());
    JdbcBackend backend = closing(settings(database).url(url).wakeUps(false).build());
    acquire(backend, "row", "c", 1).join();
    backend.locks().release(new GrantAttempt.Id("row", "c", 1), 0).toCompletableFuture().join();
    proxy.holdReplies(true);
    CompletableFuture<GrantReply> reply = acquire(backend, "row", "c", 2);
    await().atMost(PATIENCE).until(() -> proxy.heldReplies() > 0);
    proxy.cut();
    proxy.holdReplies(false);
    assertThat(reply)
        .failsWithin(PATIENCE)
        .withThrowableThat()
        .withCauseInstanceOf(OutcomeUnknownException.class)
        .withMessageContaining("acquire row");
    JdbcBackend other = closing(settings(database).build());
    assertThat(isGranted(other, "d", 1)).as("it was done").isFalse();
  }

  /** Connections that tell what becomes of them. */
  private static Connections watched(
      String url, Runnable onTake, BiConsumer<Connection, Boolean> onGive) {
    Connections real = Connections.to(url, Duration.ofSeconds(5));
    return new Connections() {
      @Override
      public Connection take() throws SQLException {
        onTake.run();
        return real.take();
      }

      @Override
      public void give(Connection connection, boolean broken) {
        real.give(connection, broken);
        onGive.accept(connection, broken);
      }

      @Override
      public boolean areLent() {
        return false;
      }

      @Override
      public void close() {
        real.close();
      }
    };
  }

  private static boolean isListener() {
    return Thread.currentThread().getName().equals("sluice-jdbc-listener");
  }

  @Test
  void whatTheDatabaseToldBeforeItWasListenedToIsFound() throws Exception {
    Database database = new JdbcStoreUnderTest(Dialect.POSTGRESQL).database();
    AtomicBoolean deaf = new AtomicBoolean();
    AtomicBoolean stuck = new AtomicBoolean();
    Connections connections =
        watched(
            database.url(),
            () -> {
              if (isListener() ? deaf.get() : stuck.get()) {
                throw new IllegalStateException("no connection at this moment");
              }
            },
            (connection, isBroken) -> {});
    JdbcBackend backend =
        closing(JdbcBackend.open(connections, JdbcBackend.builder(), Duration.ofSeconds(5)));
    Queue<LockMessage> heard = new ConcurrentLinkedQueue<>();
    backend.locks().listen("a", heard::add).toCompletableFuture().join();
    deaf.set(true);
    acquire(backend, "row", "a", 1).join();
    stuck.set(true);
    JdbcBackend other = closing(settings(database).build());
    assertThat(other.locks().force().orElseThrow().force("row", 0).toCompletableFuture().join())
        .isPresent();
    deaf.set(false);
    try (Connection watching = database.connect();
        Statement statement = watching.createStatement()) {
      await().atMost(PATIENCE).until(() -> isListenedTo(statement));
    }
    stuck.set(false);

    await()
        .atMost(PATIENCE)
        .until(() -> heard.contains(new LockMessage(LockMessage.Kind.TAKEN, "row")));
  }

  /** The listener's last statement shows that all others of its start are done. */
  private static boolean isListenedTo(Statement statement) throws SQLException {
    try (ResultSet row =
        statement.executeQuery(
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database()"
                + " AND query = 'SELECT 1' AND state = 'idle'")) {
      return row.next();
    }
  }

  @Test
  void aServerThatIsGoneWithoutAWordIsNotListenedToForEver() {
    Database database = new JdbcStoreUnderTest(Dialect.POSTGRESQL).database();
    TcpProxy proxy = closing(new TcpProxy(Databases.port(Dialect.POSTGRESQL)));
    String url =
        database.url().replace(":" + Databases.port(Dialect.POSTGRESQL), ":" + proxy.port());
    AtomicInteger broken = new AtomicInteger();
    Connections connections =
        watched(
            url,
            () -> {},
            (connection, isBroken) -> {
              if (isBroken && isListener()) {
                broken.incrementAndGet();
              }
            });
    JdbcBackend backend =
        closing(JdbcBackend.open(connections, JdbcBackend.builder(), Duration.ofSeconds(5)));
    backend.locks().listen("a", message -> {});
    acquire(backend, "row", "a", 1).join();
    await().atMost(PATIENCE).until(() -> listeners(database) > 0);
    proxy.holdReplies(true);
    backend.locks().listen("b", message -> {}); // it has something to say to the server
    await().atMost(PATIENCE).until(() -> broken.get() > 0);
    proxy.cut();
    proxy.holdReplies(false);
  }

  @Test
  void aStickyLockGoesOverWhileTheConnectionThatListensIsSilent() throws Exception {
    Database database = new JdbcStoreUnderTest(Dialect.POSTGRESQL).database();
    int port = Databases.port(Dialect.POSTGRESQL);
    TcpProxy proxy = closing(new TcpProxy(port, "LISTEN"));
    Duration ages = Duration.ofMinutes(10);
    LockOptions sticky = LockOptions.renewing(ages).sticky(ages);
    Sluice keeper = patient(database.url().replace(":" + port, ":" + proxy.port()));
    Sluice other = patient(database.url());
    keeper.lock("x", sticky).acquire(PATIENCE).close();
    await().atMost(PATIENCE).until(() -> proxy.marked() > 0 && listeners(database) > 0);
    proxy.swallow();

    Lease lease = other.lock("x", sticky).acquire(Duration.ofSeconds(30));
    assertThat(lease.release()).isTrue();
  }

  /** It would wait for an answer for longer than the test takes. */
  private Sluice patient(String url) {
    return closing(Sluice.builder().uri(url).requestTimeout(Duration.ofMinutes(2)).build());
  }

  private static int listeners(Database database) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        var row =
            statement.executeQuery(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                    + " AND query = 'SELECT 1' AND state = 'idle'")) {
      row.next();
      return row.getInt(1);
    }
  }

  @Test
  void aPoolThatFailsInItsOwnWayGaveNoConnection() {
    Database database = new JdbcStoreUnderTest(Dialect.H2).database();
    AtomicBoolean closed = new AtomicBoolean();
    Connections pool =
        watched(
            database.url(),
            () -> {
              if (closed.get()) {
                throw new IllegalStateException("the pool is closed");
              }
            },
            (connection, isBroken) -> {});
    JdbcBackend backend =
        closing(JdbcBackend.open(pool, JdbcBackend.builder(), Duration.ofSeconds(5)));
    closed.set(true);
    assertThatThrownBy(() -> isGranted(backend, "c", 1))
        .hasCauseInstanceOf(BackendException.class)
        .hasMessageContaining("gave no connection for 'acquire row': the pool is closed");
  }

  @ParameterizedTest
  @EnumSource(
      value = Dialect.class,
      names = {"POSTGRESQL", "MARIADB"})
  void tablesThatAMigrationKeepsDoNotHoldUpTheStartForEver(Dialect dialect) throws Exception {
    Database database = new JdbcStoreUnderTest(dialect).database();
    try (Connection foreign = database.connect();
        Statement statement = foreign.createStatement()) {
      foreign.setAutoCommit(false);
      statement.execute(
          dialect == Dialect.POSTGRESQL
              ? "LOCK TABLE sluice_locks IN ACCESS EXCLUSIVE MODE"
              : "LOCK TABLES sluice_locks WRITE");
      JdbcBackendBuilder impatient =
          JdbcBackend.builder().url(database.url()).requestTimeout(Duration.ofMillis(300));
      assertThat(CompletableFuture.supplyAsync(impatient::build))
          .failsWithin(PATIENCE)
          .withThrowableThat()
          .withCauseInstanceOf(BackendException.class);
      foreign.rollback();
      if (dialect == Dialect.MARIADB) {
        statement.execute("UNLOCK TABLES");
      }
    }
    closing(settings(database).build());
  }

  @Test
  void aDatabaseThatWasRestartedIsUsedAgainAndTokensGrow() throws Exception {
    PostgresqlServer server = closing(Databases.startPostgresql());
    JdbcBackend backend =
        closing(
            JdbcBackend.builder()
                .url(PostgresqlServer.url(server.port(), "postgres"))
                .createTables(true)
                .requestTimeout(PATIENCE)
                .build());
    Sluice sluice = closing(Sluice.builder().backend(backend).build());
    Lease first = sluice.lock("restart", LONG).tryAcquire().orElseThrow();
    server.stop();
    try {
      assertThatThrownBy(() -> sluice.lock("other", LONG).tryAcquire())
          .isInstanceOf(BackendException.class);
    } finally {
      server.restart();
    }
    assertThat(first.renew(Duration.ofSeconds(40))).isTrue();
    first.close();
    await()
        .atMost(PATIENCE)
        .until(
            () -> sluice.inspect().lock("restart").holder().isEmpty()); // the release may be late
    Lease second = sluice.lock("restart", LONG).acquire(PATIENCE);
    assertThat(second.token()).isGreaterThan(first.token());
  }

  @ParameterizedTest
  @EnumSource(
      value = Dialect.class,
      names = {"POSTGRESQL", "MARIADB"})
  void aVictimOfADeadlockIsTriedAgain(Dialect dialect) throws Exception {
    Database database = new JdbcStoreUnderTest(dialect).database();
    JdbcBackend backend =
        closing(
            settings(database)
                .rowLocking(RowLocking.PESSIMISTIC)
                .wakeUps(false)
                .requestTimeout(PATIENCE)
                .build());
    Counter codec = new Counter();
    add(backend, codec, List.of("a", "b")).join();

    try (Connection foreign = database.connect();
        Statement statement = foreign.createStatement()) {
      if (dialect == Dialect.POSTGRESQL) { // so that the stranger never finds out first
        statement.execute("SET deadlock_timeout = '60s'");
      } else { // the victim is who has changed less
        statement.execute("CREATE TABLE heavy (n INT) ENGINE = InnoDB");
      }
      foreign.setAutoCommit(false);
      if (dialect == Dialect.MARIADB) {
        statement.execute("INSERT INTO heavy VALUES (1), (2), (3), (4), (5), (6), (7), (8)");
      }
      lock(statement, "b");
      CompletableFuture<Long> ours = add(backend, codec, List.of("a", "b"));
      await().atMost(PATIENCE).until(() -> isLocked(database, "a"));
      lock(statement, "a"); // comes back when ours was rolled back
      foreign.rollback();
      assertThat(ours.join()).isEqualTo(4);
      if (dialect == Dialect.MARIADB) {
        foreign.setAutoCommit(true);
        statement.execute("DROP TABLE heavy");
      }
    }
  }

  /** Adds one to each, and tells the sum. */
  private static CompletableFuture<Long> add(
      JdbcBackend backend, Counter codec, List<String> names) {
    return backend
        .rows()
        .decideAll(
            "count",
            names,
            codec,
            (now, counts, post) -> {
              long sum = 0;
              for (long[] count : counts) {
                sum += ++count[0];
              }
              return sum;
            })
        .toCompletableFuture();
  }

  private static final class Counter implements Rows.Codec<long[]> {
    @Override
    public long[] empty(String name) {
      return new long[1];
    }

    @Override
    public byte[] write(long[] state) {
      return String.valueOf(state[0]).getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public long[] read(String name, byte[] bytes) {
      return new long[] {Long.parseLong(new String(bytes, StandardCharsets.US_ASCII))};
    }

    @Override
    public long forgetAt(long[] state) {
      return Long.MAX_VALUE;
    }
  }

  private static void lock(Statement statement, String name) throws SQLException {
    statement
        .executeQuery("SELECT version FROM sluice_states WHERE name = '" + name + "' FOR UPDATE")
        .close();
  }

  private static boolean isLocked(Database database, String name) {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        var row =
            statement.executeQuery(
                "SELECT version FROM sluice_states WHERE name = '"
                    + name
                    + "' FOR UPDATE SKIP LOCKED")) {
      return !row.next();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @EnumSource(RowLocking.class)
  void aRowThatAStrangerKeepsEndsInATimeoutAndLeavesNoOrphan(RowLocking way) throws Exception {
    Database database = new JdbcStoreUnderTest(Dialect.POSTGRESQL).database();
    JdbcBackend impatient =
        closing(
            JdbcBackend.builder()
                .url(database.url())
                .rowLocking(way)
                .requestTimeout(Duration.ofSeconds(2))
                .build());
    JdbcBackend patient = closing(settings(database).build());
    assertThat(isGranted(patient, "a", 1)).isTrue();
    patient.locks().release(new GrantAttempt.Id("row", "a", 1), 0).toCompletableFuture().join();

    try (Connection foreign = database.connect();
        Statement statement = foreign.createStatement()) {
      foreign.setAutoCommit(false);
      statement.executeQuery("SELECT version FROM sluice_locks FOR UPDATE").close();
      assertThatThrownBy(() -> isGranted(impatient, "b", 1))
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(
              way == RowLocking.OPTIMISTIC
                  ? OutcomeUnknownException.class // it was sent, and may yet be done
                  : BackendException.class)
          .hasMessageContaining("within 2000ms");
      foreign.rollback();
    }
    patient
        .locks()
        .release(new GrantAttempt.Id("row", "b", 1), 0)
        .toCompletableFuture()
        .join(); // as core does
    assertThat(isGranted(patient, "a", 2)).isTrue();
  }

  @ParameterizedTest
  @EnumSource(
      value = Dialect.class,
      names = {"POSTGRESQL", "MARIADB"})
  void aUserWithoutRightsIsToldWhichAreNeeded(Dialect dialect) {
    Database database = new JdbcStoreUnderTest(dialect).database();
    String reader = dialect == Dialect.POSTGRESQL ? "reader" : "'reader'@'127.0.0.1'";
    database.execute(
        dialect == Dialect.POSTGRESQL ? "CREATE ROLE reader LOGIN" : "CREATE USER " + reader,
        "GRANT SELECT ON sluice_locks TO " + reader,
        "GRANT SELECT ON sluice_states TO " + reader);
    try {
      String url = database.url().replaceAll("user=\\w+", "user=reader");
      JdbcBackend backend = closing(settings(database).url(url).build());
      assertThatThrownBy(() -> isGranted(backend, "c", 1))
          .hasCauseInstanceOf(BackendException.class)
          .hasMessageContaining("grant SELECT, INSERT, UPDATE and DELETE on sluice_locks");
      assertThat(backend.locks().names(10).toCompletableFuture().join()).isEmpty();
    } finally {
      database.execute(
          "REVOKE SELECT ON sluice_locks FROM " + reader,
          "REVOKE SELECT ON sluice_states FROM " + reader,
          dialect == Dialect.POSTGRESQL ? "DROP ROLE reader" : "DROP USER " + reader);
    }
  }

  @Test
  void aFileThatMayOnlyBeReadIsSaidToBe(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("a.db");
    try (JdbcBackend backend = JdbcBackend.builder().url("jdbc:sqlite:" + file).build()) {
      assertThat(isGranted(backend, "c", 1)).isTrue();
    }
    assertThat(Files.size(file)).isPositive();
    String url = "jdbc:sqlite:file:" + file + "?mode=ro";
    assertThatThrownBy(
            () -> {
              try (JdbcBackend backend = JdbcBackend.builder().url(url).build()) {
                isGranted(backend, "c", 2);
              }
            })
        .satisfiesAnyOf(
            failure -> assertThat(failure).isInstanceOf(BackendException.class),
            failure -> assertThat(failure).hasCauseInstanceOf(BackendException.class))
        .hasMessageContaining("readonly");
  }

  @Test
  void aFileThatIsFullGrantsNothingAndGivesBack(@TempDir Path folder) throws Exception {
    String url = "jdbc:sqlite:" + folder.resolve("a.db");
    JdbcBackend.builder().url(url).build().close(); // makes the tables
    String refused = null;
    try (JdbcBackend backend =
        JdbcBackend.builder().url(url + "?max_page_count=24").createTables(false).build()) {
      assertThat(isGranted(backend, "c", 1)).isTrue();
      for (int i = 0; i < 500 && refused == null; i++) {
        String name = "lock-" + i + "-" + "x".repeat(400);
        try {
          acquire(backend, name, "c", 1).join();
        } catch (CompletionException e) {
          assertThat(e).hasCauseInstanceOf(BackendException.class).hasMessageContaining("full");
          refused = name;
        }
      }
      assertThat(refused).as("a name for which there was no room").isNotNull();
      assertThat(
              backend
                  .locks()
                  .release(new GrantAttempt.Id("row", "c", 1), 0)
                  .toCompletableFuture()
                  .join())
          .as("what is held can be given back")
          .isTrue();
    }
    try (JdbcBackend backend = JdbcBackend.builder().url(url).build()) {
      assertThat(acquire(backend, refused, "c", 2).join()).isInstanceOf(GrantReply.Granted.class);
    }
  }
}
