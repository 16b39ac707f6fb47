package dev.sluice.jdbc;

import dev.sluice.SluiceBuilder;
import dev.sluice.jdbc.rows.Connections;
import dev.sluice.spi.Backend;
import dev.sluice.spi.LockProtocol;
import dev.sluice.testkit.HeldTime;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.text.Names;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A real database under test, whose clock is held for what {@link #connect} returns. Each test
 * class has one of each kind.
 */
public final class JdbcStoreUnderTest implements StoreUnderTest {
  private record Owner(Class<?> test, Dialect dialect) {}

  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final StackWalker CALLERS =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
  private static final Map<Owner, Database> DATABASES = new ConcurrentHashMap<>();

  private final Database database;
  private final HeldTime time = new HeldTime();

  public JdbcStoreUnderTest(Dialect dialect) {
    this.database =
        DATABASES.computeIfAbsent(
            new Owner(CALLERS.getCallerClass(), dialect), JdbcStoreUnderTest::database);
    loseData();
  }

  private static Database database(Owner owner) {
    Database made = Databases.empty(owner.dialect);
    made.execute(JdbcBackend.ddl(owner.dialect).split(";"));
    return made;
  }

  public Database database() {
    return database;
  }

  @Override
  public Backend connect() {
    Connections held =
        new HeldConnections(Connections.to(database.url(), TIMEOUT), database.dialect(), time);
    return time.watched(JdbcBackend.open(held, builder(), TIMEOUT));
  }

  /** A connection whose clock is the database's own. */
  public JdbcBackend connectInRealTime() {
    return builder().build();
  }

  private JdbcBackendBuilder builder() {
    return JdbcBackend.builder().url(database.url()).threads(4).requestTimeout(TIMEOUT);
  }

  /** Each is a commit. */
  @Override
  public int many() {
    return 2_000;
  }

  @Override
  public void configure(SluiceBuilder builder) {
    time.configure(builder);
  }

  @Override
  public void pass(Duration span) {
    time.pass(span);
  }

  @Override
  public long nanos() {
    return time.nanos();
  }

  @Override
  public void loseData() {
    database.execute(
        "DELETE FROM sluice_locks",
        "DELETE FROM sluice_states",
        "DELETE FROM sluice_stock",
        "DELETE FROM sluice_claims");
  }

  @Override
  public boolean forgetsInTime(String name) {
    String sql = "SELECT forget_at FROM sluice_locks WHERE name = ? AND client IS NULL";
    try (Connection connection = database.connect();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      database.dialect().sql().setKey(statement, 1, Names.encode(name));
      try (ResultSet row = statement.executeQuery()) {
        long longest = LockProtocol.RETENTION_MICROS + LockProtocol.MAX_LEAD_MICROS;
        return !row.next() || row.getLong(1) <= time.storeMicros() + longest + 1;
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    time.close();
  }
}
