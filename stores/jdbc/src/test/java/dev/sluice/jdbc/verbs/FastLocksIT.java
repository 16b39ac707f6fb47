package dev.sluice.jdbc.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.OutcomeUnknownException;
import dev.sluice.jdbc.Dialect;
import dev.sluice.jdbc.JdbcBackend;
import dev.sluice.jdbc.JdbcStoreUnderTest;
import dev.sluice.jdbc.OpenedJdbc;
import dev.sluice.jdbc.dialect.SqlDialect;
import dev.sluice.jdbc.rows.Connections;
import dev.sluice.jdbc.rows.GrantTable;
import dev.sluice.jdbc.rows.SqlSession;
import dev.sluice.jdbc.rows.Table;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockProtocol;
import dev.sluice.state.grant.GrantKind;
import dev.sluice.state.grant.GrantRow;
import dev.sluice.state.grant.GrantState;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The statements that take a step at once decide as {@link GrantState} does. */
class FastLocksIT {
  private static final int HISTORIES = Integer.getInteger("sluice.twin.histories", 20);
  private static final int STEPS = 60;

  private final JdbcStoreUnderTest store = new JdbcStoreUnderTest(Dialect.POSTGRESQL);
  private final AtomicInteger statements = new AtomicInteger();

  /** What was executed, in order. */
  private final Queue<String> texts = new ConcurrentLinkedQueue<>();

  /** Which statement fails, and how. */
  private volatile int breakAt;

  private volatile Exception breakWith = new SQLException("the line broke", "08006");

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  private JdbcBackend open(Connections connections) {
    return OpenedJdbc.open(connections, JdbcBackend.builder(), Duration.ofSeconds(10));
  }

  /** Connections that count what is executed on them. */
  private Connections counting() {
    Connections real = Connections.to(store.database().url(), Duration.ofSeconds(5));
    return new Connections() {
      @Override
      public Connection take() throws SQLException {
        return proxy(Connection.class, real.take(), "");
      }

      @Override
      public void give(Connection connection, boolean broken) {
        try {
          real.give(connection.unwrap(org.postgresql.jdbc.PgConnection.class), broken);
        } catch (SQLException e) {
          throw new AssertionError(e);
        }
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

  private <T> T proxy(Class<T> type, T target, String text) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              if (method.getName().startsWith("execute") || method.getName().equals("commit")) {
                texts.add(text);
                if (statements.incrementAndGet() == breakAt) {
                  throw breakWith;
                }
              }
              Object result;
              try {
                result = method.invoke(target, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
              if (result instanceof PreparedStatement statement) {
                return proxy(PreparedStatement.class, statement, (String) arguments[0]);
              }
              return result instanceof Statement statement
                  ? proxy(Statement.class, statement, "")
                  : result;
            }));
  }

  @Test
  void aPairThatNobodyDisturbsIsTwoStatements() {
    try (JdbcBackend backend =
        OpenedJdbc.open(counting(), JdbcBackend.builder().wakeUps(false), Duration.ofSeconds(10))) {
      GrantBackend locks = backend.locks();
      GrantReply last = null;
      for (int i = 1; i <= 11; i++) {
        if (i == 2) {
          texts.clear(); // the first one made the row
        }
        GrantReply reply =
            get(locks.acquire(new GrantRequest("pair", "c", i, 30_000_000, 16, true)));
        assertThat(reply).isInstanceOf(GrantReply.Granted.class);
        if (last != null) {
          assertThat(((GrantReply.Granted) reply).token())
              .isGreaterThanOrEqualTo(((GrantReply.Granted) last).token() + 16);
        }
        last = reply;
        assertThat(get(locks.release(new GrantAttempt.Id("pair", "c", i), 0))).isTrue();
      }
      // on a slow machine the watcher looks in, which reads the row and does nothing else
      assertThat(texts)
          .filteredOn(text -> !text.startsWith("SELECT"))
          .hasSize(20)
          .allMatch(text -> text.startsWith("WITH t AS"));
    }
  }

  private JdbcBackend openWithoutWakeUps(Connections connections) {
    return OpenedJdbc.open(
        connections, JdbcBackend.builder().wakeUps(false), Duration.ofSeconds(10));
  }

  private static GrantReply acquire(JdbcBackend backend, String client, long attempt) {
    return get(
        backend.locks().acquire(new GrantRequest("pair", client, attempt, 30_000_000, 1, true)));
  }

  private static void pair(JdbcBackend backend, String client, long attempt) {
    assertThat(acquire(backend, client, attempt)).isInstanceOf(GrantReply.Granted.class);
    assertThat(get(backend.locks().release(new GrantAttempt.Id("pair", client, attempt), 0)))
        .isTrue();
  }

  private long ask(String query) throws SQLException {
    try (Connection connection = store.database().connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    }
  }

  /** The row after a crash that lost a release must not come to be as the release had left it. */
  @Test
  void aReleaseLeavesAVersionThatNobodyElseArrivesAt() throws SQLException {
    try (JdbcBackend backend = openWithoutWakeUps(counting())) {
      pair(backend, "c", 1);
      long steps = 0;
      for (int i = 2; i <= 4; i++) { // each alone is one by chance, but seldom
        assertThat(acquire(backend, "c", i)).isInstanceOf(GrantReply.Granted.class);
        long held = ask("SELECT version FROM sluice_locks");
        assertThat(get(backend.locks().release(new GrantAttempt.Id("pair", "c", i), 0))).isTrue();
        steps += ask("SELECT version FROM sluice_locks") - held;
      }
      assertThat(steps).isGreaterThan(3);
    }
  }

  @Test
  void theTokenIsTheRowsWhateverIsRemembered() throws SQLException {
    try (JdbcBackend backend = openWithoutWakeUps(counting())) {
      pair(backend, "c", 1);
      pair(backend, "c", 2);
      store.database().execute("UPDATE sluice_locks SET fence = fence + 50000000");
      GrantReply.Granted granted = (GrantReply.Granted) acquire(backend, "c", 3);
      assertThat(granted.token()).isEqualTo(ask("SELECT token FROM sluice_locks"));
      assertThat(get(backend.locks().release(new GrantAttempt.Id("pair", "c", 3), 0))).isTrue();
    }
  }

  @Test
  void aLineThatBreaksAfterAStatementThatChangedNothingIsNoDoubt() {
    try (JdbcBackend backend = openWithoutWakeUps(counting());
        JdbcBackend other =
            openWithoutWakeUps(Connections.to(store.database().url(), Duration.ofSeconds(5)))) {
      pair(backend, "c", 1);
      pair(other, "d", 1);
      breakAt = statements.get() + 2; // the update finds another version, then the row is read
      assertThat(acquire(backend, "c", 2)).isInstanceOf(GrantReply.Granted.class);
      assertThat(statements).hasValueGreaterThan(breakAt);

      assertThat(get(backend.locks().release(new GrantAttempt.Id("pair", "c", 2), 0))).isTrue();
      assertThat(acquire(backend, "c", 3)).isInstanceOf(GrantReply.Granted.class);
      get(other.locks().force().orElseThrow().force("pair", 0));
      breakAt = statements.get() + 2;
      assertThat(get(backend.locks().release(new GrantAttempt.Id("pair", "c", 3), 0))).isFalse();
      assertThat(statements).hasValueGreaterThan(breakAt);
    }
  }

  @Test
  void aDriverThatFailsInItsOwnWayWhileItWritesLeavesADoubt() {
    try (JdbcBackend backend = openWithoutWakeUps(counting())) {
      pair(backend, "c", 1);
      breakWith = new IllegalStateException("a bug of the driver");
      breakAt = statements.get() + 1;
      assertThatThrownBy(() -> acquire(backend, "c", 2))
          .hasCauseInstanceOf(OutcomeUnknownException.class)
          .hasMessageContaining("a bug of the driver");
    }
  }

  private static long forgetAt(Connection reading, String name) throws SQLException {
    try (Statement statement = reading.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT forget_at FROM sluice_locks WHERE name = '" + name + "'")) {
      row.next();
      return row.getLong(1);
    }
  }

  /**
   * Two processes at random on one lock. After each step that wrote, the row must be what the same
   * decision makes of the row before, at the moment that the row names.
   */
  @Test
  void everyRowIsWhatTheDecisionLeaves() throws Exception {
    GrantTable table = new GrantTable(SqlDialect.POSTGRESQL, "sluice_locks", GrantKind.LOCK);
    AtomicInteger asked = new AtomicInteger();
    try (JdbcBackend a = open(counting());
        JdbcBackend b = open(counting());
        Connection reading = store.database().connect()) {
      SqlSession session =
          new SqlSession(SqlDialect.POSTGRESQL, reading, Duration.ofSeconds(5), () -> true);
      for (long seed = 1; seed <= HISTORIES; seed++) {
        String name = "twin" + seed;
        SplittableRandom random = new SplittableRandom(seed);
        long[] attempts = new long[4];
        boolean alone = random.nextBoolean(); // most of the time, as the statements like it
        GrantRow before = GrantRow.of(new GrantState(name, GrantKind.LOCK));
        long version = 0;
        for (int i = 0; i < STEPS; i++) {
          int who = alone && random.nextInt(8) > 0 ? 0 : random.nextInt(attempts.length);
          GrantBackend locks = (who % 2 == 0 ? a : b).locks();
          String client = "c" + who;
          boolean takes = random.nextInt(2) == 0;
          attempts[who] += takes && random.nextInt(4) > 0 ? 1 : 0;
          long attempt = Math.max(1, attempts[who] - (random.nextInt(8) == 0 ? 1 : 0));
          GrantRequest request =
              new GrantRequest(
                  name,
                  client,
                  attempt,
                  random.nextInt(4) == 0 ? 10_000 : 30_000_000,
                  1 + random.nextInt(LockProtocol.MAX_BLOCK),
                  random.nextInt(3) == 0);
          Object reply = takes ? get(locks.acquire(request)) : get(locks.release(request, 0));
          Table.Row<GrantState, GrantRow> row = table.look(session, List.of(name)).rows().get(0);
          if (row.version != version) {
            GrantRow after = GrantRow.of(row.state);
            GrantState expected = before.state(name, GrantKind.LOCK);
            Object decided =
                takes
                    ? expected.acquire(after.lastUse(), request, (to, message) -> {})
                    : (Object) expected.release(after.lastUse(), client, attempt, 0, (to, m) -> {});
            String step = "seed " + seed + ", step " + i + ", " + request;
            assertThat(reply).as(step).isEqualTo(decided);
            assertThat(table.differs(GrantRow.of(expected), after)).as(step + after).isFalse();
            assertThat(forgetAt(reading, name)).as(step).isEqualTo(after.forgetAt());
            before = after;
            version = row.version;
            asked.incrementAndGet();
          }
        }
      }
    }
    assertThat(asked.get()).as("steps that were compared").isGreaterThan(HISTORIES * STEPS / 3);
  }
}
