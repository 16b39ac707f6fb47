package dev.sluice.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.BackendException;
import dev.sluice.ForeignDataException;
import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.LockOptions;
import dev.sluice.servers.PostgresqlServer;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Behaviour that is particular to SQL databases, on each of them. */
class JdbcBackendIT {
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

  private JdbcBackend backend(JdbcBackendBuilder settings) {
    return closing(settings.requestTimeout(Duration.ofSeconds(5)).build());
  }

  private Sluice client(JdbcBackendBuilder settings) {
    return closing(Sluice.builder().backend(backend(settings)).build());
  }

  private HikariDataSource pool(
      Database database, int size, boolean autoCommit, @Nullable String isolation) {
    HikariConfig config = new HikariConfig();
    // a transaction that only reads must not keep writers of SQLite out, as an immediate one does
    config.setJdbcUrl(database.url().replace("IMMEDIATE", "DEFERRED"));
    config.setMaximumPoolSize(size);
    config.setAutoCommit(autoCommit);
    config.setTransactionIsolation(isolation);
    config.setConnectionTimeout(5_000);
    return closing(new HikariDataSource(config));
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  private static GrantReply acquire(GrantBackend locks, String name, String client, long attempt) {
    return get(locks.acquire(new GrantRequest(name, client, attempt, 30_000_000, 1, false)));
  }

  private static Lease acquire(Sluice client, String name) {
    return get(client.lock(name, LONG).async().acquire(PATIENCE));
  }

  static Stream<Arguments> everyWay() {
    return Stream.of(Dialect.values())
        .flatMap(d -> Stream.of(RowLocking.values()).map(way -> Arguments.of(d, way)));
  }

  @ParameterizedTest
  @MethodSource("everyWay")
  void onePoolOfOneConnectionServesHoldersAndWaiters(Dialect dialect, RowLocking way)
      throws Exception {
    Database database = new JdbcStoreUnderTest(dialect).database();
    HikariDataSource pool = pool(database, 1, true, null);
    Sluice a = client(JdbcBackend.builder().dataSource(pool).rowLocking(way));
    Sluice b = client(JdbcBackend.builder().dataSource(pool).rowLocking(way));

    Lease first = a.lock("pool", LONG).acquire(PATIENCE);
    CompletableFuture<Lease> waiting =
        b.lock("pool", LONG).async().acquire(PATIENCE).toCompletableFuture();
    await().atMost(PATIENCE).until(() -> !a.inspect().lock("pool").waiters().isEmpty());
    first.close();
    assertThat(waiting.join().token()).isGreaterThan(first.token());
    waiting.join().close();
    a.close();
    b.close();
    await().atMost(PATIENCE).until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
  }

  @ParameterizedTest
  @MethodSource("everyWay")
  void noUpdateIsLostWhateverThePoolsSettingsAre(Dialect dialect, RowLocking way) throws Exception {
    Database database = new JdbcStoreUnderTest(dialect).database();
    // a driver of SQLite knows no other level but this
    HikariDataSource pool = pool(database, 4, false, "TRANSACTION_SERIALIZABLE");
    Sluice[] clients = {
      client(JdbcBackend.builder().dataSource(pool).rowLocking(way)),
      client(JdbcBackend.builder().dataSource(pool).rowLocking(way))
    };
    int[] counter = {0};
    AtomicInteger done = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Sluice client = clients[i % 2];
      Thread thread =
          new Thread(
              () -> {
                for (int j = 0; j < 25; j++) {
                  try (Lease lease = acquire(client, "count")) {
                    int seen = counter[0];
                    Thread.onSpinWait();
                    counter[0] = seen + 1;
                  }
                }
                done.incrementAndGet();
              });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join(60_000);
    }
    assertThat(done).hasValue(4);
    assertThat(counter[0]).isEqualTo(100);
    try (Connection connection = pool.getConnection()) {
      assertThat(connection.getAutoCommit()).isFalse();
      assertThat(connection.getTransactionIsolation())
          .isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MARIADB", "H2"})
  void connectionsThatShowWhatIsNeverCommittedAreRefused(Dialect dialect) {
    HikariDataSource pool =
        pool(new JdbcStoreUnderTest(dialect).database(), 1, true, "TRANSACTION_READ_UNCOMMITTED");
    assertThatThrownBy(() -> backend(JdbcBackend.builder().dataSource(pool)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("READ UNCOMMITTED");
    assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void tableOfAnOlderVersionIsNamedWithWhatMakesItAnew(Dialect dialect) throws Exception {
    HikariDataSource pool = pool(new JdbcStoreUnderTest(dialect).database(), 1, true, null);
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE old_locks (name VARCHAR(99))");
    }
    for (boolean create : List.of(true, false)) {
      JdbcBackendBuilder settings =
          JdbcBackend.builder().dataSource(pool).tablePrefix("old_").createTables(create);
      assertThatThrownBy(() -> backend(settings))
          .isInstanceOf(BackendException.class)
          .hasMessageStartingWith("a table 'old_*' is not as this version needs it (")
          .hasMessageContaining("CREATE TABLE");
    }
  }

  @Test
  void closingEndsItsThreads() throws Exception {
    Set<Thread> before = threads();
    JdbcBackend backend = backend(JdbcBackend.builder().url("jdbc:h2:mem:threads"));
    Sluice sluice = closing(Sluice.builder().backend(backend).build());
    Lease held = acquire(sluice, "seat");
    CompletableFuture<?> waiter =
        sluice.lock("seat", LONG).async().acquire(Duration.ofMinutes(1)).toCompletableFuture();
    await().atMost(PATIENCE).until(() -> backend.planned() > 1); // the sweep, and the lease's end
    Set<Thread> own = threads();
    own.removeAll(before); // those of other tests may be about to end
    assertThat(own).isNotEmpty();

    sluice.close();
    backend.close();

    await().atMost(PATIENCE).until(() -> own.stream().noneMatch(Thread::isAlive));
    assertThat(held).isNotNull();
    await().atMost(PATIENCE).until(waiter::isDone);
  }

  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("sluice-jdbc"))
        .collect(Collectors.toSet());
  }

  @Test
  void connectionToAServerThatMayOnlyBeReadGivesWayToANewOne() throws Exception {
    try (PostgresqlServer server = Databases.startPostgresql()) {
      server.create("sales");
      String url = "jdbc:postgresql://127.0.0.1:" + server.port() + "/sales?user=sluice";
      Sluice a = client(JdbcBackend.builder().url(url).createTables(true));
      acquire(a, "before").close();
      try (Connection connection = DriverManager.getConnection(url);
          Statement statement = connection.createStatement()) {
        // from here on only sessions that begin now may write, as at the new primary
        statement.execute("ALTER DATABASE sales SET default_transaction_read_only = off");
        statement.execute("ALTER SYSTEM SET default_transaction_read_only = on");
        statement.execute("SELECT pg_reload_conf()");
        await().atMost(PATIENCE).until(() -> isReadOnly(statement));
      }
      assertThat(a.lock("after", LONG).tryAcquire()).isPresent();
      a.close();
    }
  }

  @Test
  void connectionToAMariadbThatMayOnlyBeReadGivesWayToANewOne() throws Exception {
    Database database = new JdbcStoreUnderTest(Dialect.MARIADB).database();
    String teller = "'teller'@'127.0.0.1'";
    database.execute(
        "CREATE USER " + teller, "GRANT SELECT, INSERT, UPDATE, DELETE ON *.* TO " + teller);
    try {
      String url = database.url().replaceAll("user=\\w+", "user=teller");
      Sluice a = client(JdbcBackend.builder().url(url));
      acquire(a, "before").close();
      // from here on only sessions that begin now may write, as at the new primary
      database.execute("SET GLOBAL read_only = 1", "GRANT READ_ONLY ADMIN ON *.* TO " + teller);
      assertThat(a.lock("after", LONG).tryAcquire()).isPresent();
      a.close();
    } finally {
      database.execute("SET GLOBAL read_only = 0", "DROP USER " + teller);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "POSTGRESQL, OPTIMISTIC, true",
    "POSTGRESQL, PESSIMISTIC, false",
    "MARIADB, OPTIMISTIC, true",
    "MARIADB, PESSIMISTIC, false"
  })
  void rowsThatAPersonKeepsCostNoLeaseOfAnotherLock(Dialect dialect, RowLocking way, boolean own)
      throws Exception {
    Database database = new JdbcStoreUnderTest(dialect).database();
    JdbcBackendBuilder settings =
        JdbcBackend.builder().rowLocking(way).requestTimeout(Duration.ofSeconds(12));
    JdbcBackend backend =
        closing(
            own
                ? settings.url(database.url()).build()
                : settings.dataSource(pool(database, 9, true, null)).build());
    Sluice a = closing(Sluice.builder().backend(backend).build());
    List<String> kept = IntStream.range(0, 40).mapToObj(i -> "kept-" + i).toList();
    kept.forEach(name -> acquire(a, name).close());
    try (Connection person = database.connect();
        PreparedStatement keep =
            // by the whole key: otherwise MariaDB reads, and keeps, all rows
            person.prepareStatement(
                "SELECT name FROM sluice_locks WHERE kind = 'lock' AND name = ? FOR UPDATE")) {
      person.setAutoCommit(false);
      for (String name : kept) {
        dialect.sql().setKey(keep, 1, name);
        keep.executeQuery().close();
      }
      // shorter than a request may take
      LockOptions renewing = LockOptions.renewing(Duration.ofSeconds(9));
      Lease lease = a.lock("other", renewing).tryAcquire().orElseThrow();
      kept.forEach(name -> a.lock(name, LONG).async().acquire(PATIENCE));
      AtomicReference<Duration> left = new AtomicReference<>(lease.remaining());
      await()
          .atMost(PATIENCE)
          .until(() -> lease.remaining().compareTo(left.getAndSet(lease.remaining())) > 0);
      assertThat(lease.state()).isEqualTo(LeaseState.HELD);
      person.rollback();
    }
  }

  private static boolean isReadOnly(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("SHOW default_transaction_read_only")) {
      return row.next() && row.getString(1).equals("on");
    }
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void aCallersTransactionIsNotJoined(Dialect dialect) throws Exception {
    Database database = new JdbcStoreUnderTest(dialect).database();
    HikariDataSource pool = pool(database, 3, true, null);
    Sluice sluice = client(JdbcBackend.builder().dataSource(pool));
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.executeQuery("SELECT 1").close();
      Lease lease = sluice.lock("mine", LONG).acquire(PATIENCE);
      connection.rollback();
      assertThat(sluice.inspect().lock("mine").holder())
          .map(LockInfo.Holder::token)
          .hasValue(lease.token());
      lease.close();
      connection.rollback();
      assertThat(sluice.inspect().lock("mine").holder()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void namesThatDifferAtAllAreDifferentLocks(Dialect dialect) {
    JdbcBackend backend =
        backend(JdbcBackend.builder().url(new JdbcStoreUnderTest(dialect).database().url()));
    GrantBackend locks = backend.locks();
    List<String> names =
        List.of(
            "seat",
            "Seat",
            "SEAT",
            "seat ",
            "seat  ",
            " seat",
            "seat\t",
            "seat%20",
            "s\u00e9at",
            "se\u0301at",
            "\u00df",
            "ss",
            "\ufb01",
            "fi",
            "a\u0000b",
            "ab",
            "'; DROP TABLE x; --",
            "{seat}",
            "\ud83d\ude00",
            "n".repeat(512));
    for (String name : names) {
      assertThat(acquire(locks, name, "c", 1)).as(name).isInstanceOf(GrantReply.Granted.class);
    }
    assertThat(get(locks.names(100))).containsExactlyInAnyOrderElementsOf(names);
    for (String name : names) {
      assertThat(get(locks.release(new GrantAttempt.Id(name, "c", 1), 0))).as(name).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void missingTablesAreSaidWithTheStatementsThatMakeThem(Dialect dialect) {
    Database database = new JdbcStoreUnderTest(dialect).database();
    JdbcBackendBuilder settings =
        JdbcBackend.builder().url(database.url()).tablePrefix("other_").createTables(false);
    assertThatThrownBy(settings::build)
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("createTables(true)")
        .hasMessageContaining("CREATE TABLE IF NOT EXISTS other_locks")
        .hasMessageContaining("CREATE TABLE IF NOT EXISTS other_states");

    JdbcBackend backend = backend(settings.createTables(true));
    assertThat(acquire(backend.locks(), "a", "c", 1)).isInstanceOf(GrantReply.Granted.class);
    database.execute("DROP TABLE other_locks", "DROP TABLE other_states");
    assertThatThrownBy(() -> acquire(backend.locks(), "a", "c", 2))
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(BackendException.class)
        .hasMessageContaining("CREATE TABLE IF NOT EXISTS other_locks");
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void tablesThatAreMadeBySeveralAtOnceAreMadeOnce(Dialect dialect) {
    Database database = new JdbcStoreUnderTest(dialect).database();
    List<CompletableFuture<JdbcBackend>> making = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      making.add(
          CompletableFuture.supplyAsync(
              () ->
                  JdbcBackend.builder()
                      .url(database.url())
                      .tablePrefix("made_")
                      .createTables(true)
                      .requestTimeout(PATIENCE)
                      .build()));
    }
    try {
      for (CompletableFuture<JdbcBackend> each : making) {
        assertThat(acquire(each.join().locks(), "a" + each.hashCode(), "c", 1))
            .isInstanceOf(GrantReply.Granted.class);
      }
    } finally {
      making.forEach(each -> each.join().close());
      database.execute("DROP TABLE made_locks", "DROP TABLE made_states");
    }
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void whatAnotherVersionWroteIsReportedAndNotTouched(Dialect dialect) throws Exception {
    Database database = new JdbcStoreUnderTest(dialect).database();
    JdbcBackend backend = backend(JdbcBackend.builder().url(database.url()));
    GrantBackend locks = backend.locks();
    acquire(locks, "strange", "c", 1);
    String foreign = dialect == Dialect.POSTGRESQL ? "'\\x0908'" : "x'0908'";
    database.execute("UPDATE sluice_locks SET version = version + 1, rest = " + foreign);
    assertThatThrownBy(() -> acquire(locks, "strange", "d", 1))
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(ForeignDataException.class)
        .hasMessageContaining("strange")
        .hasMessageContaining("sluice_locks");
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT rest FROM sluice_locks")) {
      assertThat(row.next()).isTrue();
      assertThat(row.getBytes(1)).containsExactly(9, 8);
    }
  }

  /** ShedLock's rows stay for ever, and Spring's until somebody asks for them to be deleted. */
  @ParameterizedTest
  @EnumSource(Dialect.class)
  void rowsThatNobodyNeedsAreDeletedAndTheOthersStay(Dialect dialect) throws Exception {
    Database database = new JdbcStoreUnderTest(dialect).database();
    JdbcBackend backend = backend(JdbcBackend.builder().url(database.url()));
    GrantBackend locks = backend.locks();
    for (String name : List.of("old", "new", "held")) {
      acquire(locks, name, "c", 1);
    }
    get(locks.release(new GrantAttempt.Id("old", "c", 1), 0));
    get(locks.release(new GrantAttempt.Id("new", "c", 1), 0));
    String old = dialect == Dialect.POSTGRESQL || dialect == Dialect.SQLITE ? "'old'" : "x'6f6c64'";
    String held =
        dialect == Dialect.POSTGRESQL || dialect == Dialect.SQLITE ? "'held'" : "x'68656c64'";
    for (String name : List.of(old, held)) {
      database.execute(
          "UPDATE sluice_locks SET version = version + 1, fence = fence - 100000000,"
              + " last_use = last_use - 100000000, forget_at ="
              + " CASE WHEN client IS NULL THEN forget_at - 100000000 ELSE expires_at END"
              + " WHERE name = "
              + name);
    }
    assertThat(get(locks.names(10))).containsExactlyInAnyOrder("new", "held");
    backend.sweep().join();
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM sluice_locks")) {
      row.next();
      assertThat(row.getInt(1)).isEqualTo(2);
    }
    GrantReply.Granted again = (GrantReply.Granted) acquire(locks, "old", "c", 2);
    assertThat(again.token()).isPositive();
  }

  /** Spring Integration's testOutOfDateLockTaken, and the release that comes too late. */
  @ParameterizedTest
  @EnumSource(Dialect.class)
  void aLateReleaseDoesNotDeleteTheLockOfTheNextHolder(Dialect dialect) {
    Database database = new JdbcStoreUnderTest(dialect).database();
    GrantBackend locks = backend(JdbcBackend.builder().url(database.url())).locks();
    long token =
        ((GrantReply.Granted) get(locks.acquire(new GrantRequest("s", "a", 1, 10_000, 1, false))))
            .token();
    AtomicInteger attempt = new AtomicInteger();
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                acquire(locks, "s", "b", attempt.incrementAndGet()) instanceof GrantReply.Granted);
    assertThat(get(locks.release(new GrantAttempt.Id("s", "a", 1), 0))).isFalse();
    LockInfo.Holder holder = get(locks.inspect("s")).asLock().holder().orElseThrow();
    assertThat(holder.client()).isEqualTo("b");
    assertThat(holder.token()).isGreaterThan(token);
  }

  /** ShedLock lets a lock be extended that is not held any more where only the name is compared. */
  @ParameterizedTest
  @EnumSource(Dialect.class)
  void aRenewalNeitherRevivesNorExtendsWhatIsNotItsOwn(Dialect dialect) {
    Database database = new JdbcStoreUnderTest(dialect).database();
    GrantBackend locks = backend(JdbcBackend.builder().url(database.url())).locks();
    acquire(locks, "s", "a", 1);
    get(locks.release(new GrantAttempt.Id("s", "a", 1), 0));
    assertThat(
            get(locks.renew(new GrantAttempt.Id("s", "a", 1), 1_000_000))
                .getClass()
                .getSimpleName())
        .isEqualTo("Gone");
    acquire(locks, "s", "b", 1);
    assertThat(
            get(locks.renew(new GrantAttempt.Id("s", "a", 1), 1_000_000))
                .getClass()
                .getSimpleName())
        .isEqualTo("Gone");
    acquire(locks, "s", "a", 2); // busy: the holder's time stays what it was
    assertThat(get(locks.inspect("s")).asLock().holder().orElseThrow().remaining())
        .isLessThanOrEqualTo(Duration.ofSeconds(30));
  }

  @Test
  void badSettingsAreRefusedAndNoSecretIsShown() {
    assertThatThrownBy(() -> JdbcBackend.builder().url("jdbc:oracle:thin:scott/tiger@db:1521"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("postgresql, mariadb, mysql, h2, sqlite")
        .hasMessageNotContaining("tiger");
    assertThatThrownBy(() -> JdbcBackend.builder().tablePrefix("a; DROP TABLE b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("tablePrefix must be");
    assertThatThrownBy(() -> JdbcBackend.builder().threads(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("threads must be 1 to 256: 0");
    assertThatThrownBy(() -> JdbcBackend.builder().build())
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(
            () ->
                Sluice.connect(
                    "jdbc:postgresql://127.0.0.1:1/x?user=scott&password=tiger&connectTimeout=1"))
        .isInstanceOf(BackendException.class)
        .hasMessageNotContaining("tiger");
    try (Sluice sluice = Sluice.connect("jdbc:h2:mem:secret;USER=sa;PASSWORD=tiger")) {
      assertThat(sluice.describe()).contains("H2 at jdbc:h2:mem:secret").doesNotContain("tiger");
    }
  }
}
