package dev.sluice.bench.systems;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.springframework.core.io.ClassPathResource;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.init.ScriptUtils;

/** Peers and floors on databases, with the tables that they need. */
public final class SqlLibraries {
  /** HikariCP's own default. */
  static final int POOL_SIZE = 10;

  private static final Duration AT_MOST = Duration.ofSeconds(30);

  private static final String TAKE_ROW =
      "INSERT INTO raw_lock (name, token, owner, until)"
          + " VALUES (?, 1, ?, clock_timestamp() + interval '30 s')"
          + " ON CONFLICT (name) DO UPDATE SET token = raw_lock.token + 1,"
          + " owner = excluded.owner, until = excluded.until"
          + " WHERE raw_lock.until < clock_timestamp() RETURNING token";
  private static final String GIVE_ROW =
      "UPDATE raw_lock SET owner = NULL, until = '-infinity' WHERE name = ? AND owner = ?";

  private static final String INSERT = "INSERT INTO raw_lock VALUES (?, 0, 0)";
  private static final String TAKE =
      "UPDATE raw_lock SET token = token + 1, held = 1 WHERE name = ? AND held = 0";
  private static final String GIVE = "UPDATE raw_lock SET held = 0 WHERE name = ? AND held = 1";

  private SqlLibraries() {}

  /** The pool of connections that each library on a database server gets. */
  static HikariDataSource pool(String url) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(url);
    pool.setMaximumPoolSize(POOL_SIZE);
    return pool;
  }

  /** Creates the tables of peers and floors on PostgreSQL. */
  public static void createOnPostgresql(Connection connection) throws SQLException {
    ScriptUtils.executeSqlScript(
        connection,
        new ClassPathResource("org/springframework/integration/jdbc/schema-postgresql.sql"));
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE shedlock (name varchar(64) PRIMARY KEY, lock_until timestamp NOT NULL,"
              + " locked_at timestamp NOT NULL, locked_by varchar(255) NOT NULL)");
      statement.execute(
          "CREATE TABLE raw_lock (name text PRIMARY KEY, token bigint NOT NULL, owner text,"
              + " until timestamptz NOT NULL)");
    }
  }

  /** Creates the table of the floor on SQLite, and gives the file a write-ahead log. */
  public static void createOnSqlite(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA journal_mode = WAL");
      statement.execute(
          "CREATE TABLE raw_lock (name TEXT PRIMARY KEY, token INTEGER NOT NULL,"
              + " held INTEGER NOT NULL) WITHOUT ROWID");
    }
  }

  /** Spring Integration's registry with default settings. */
  static Library spring(String uri) {
    HikariDataSource pool = pool(uri);
    DefaultLockRepository repository = new DefaultLockRepository(pool);
    repository.setTransactionManager(new DataSourceTransactionManager(pool));
    repository.afterPropertiesSet();
    repository.afterSingletonsInstantiated();
    JdbcLockRegistry registry = new JdbcLockRegistry(repository);
    return Library.ofLocks(name -> RedisLibraries.mutex(registry.obtain(name)));
  }

  /** ShedLock skips what is locked, so the lock must be uncontended here. */
  static Library shedLock(String uri) {
    LockProvider provider =
        new JdbcTemplateLockProvider(
            JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(pool(uri)))
                .usingDbTime()
                .build());
    return Library.ofLocks(
        name ->
            Mutex.ofLease(
                () -> {
                  SimpleLock held =
                      provider
                          .lock(new LockConfiguration(Instant.now(), name, AT_MOST, Duration.ZERO))
                          .orElseThrow(() -> new IllegalStateException(name + " is locked"));
                  return () -> {
                    held.unlock();
                    return true;
                  };
                }));
  }

  /**
   * The least that a fenced lock in a table can cost: two statements, each committed by itself, and
   * no waiting. The lock must be uncontended.
   */
  static Library postgresqlFloor(String uri) {
    HikariDataSource pool = pool(uri);
    return Library.ofLocks(
        name -> {
          String owner = UUID.randomUUID().toString();
          return Mutex.of(
              () -> execute(pool, TAKE_ROW, name, owner),
              () -> execute(pool, GIVE_ROW, name, owner));
        });
  }

  /** Executes a statement that must return or change a row. */
  private static void execute(HikariDataSource pool, String sql, String name, String owner)
      throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, name);
      statement.setString(2, owner);
      boolean done;
      if (statement.execute()) {
        try (ResultSet rows = statement.getResultSet()) {
          done = rows.next();
        }
      } else {
        done = statement.getUpdateCount() == 1;
      }
      if (!done) {
        throw new IllegalStateException(name + " is not as it was left");
      }
    }
  }

  /**
   * The least that a fenced lock in a file can cost: two transactions, of which only the one that
   * gives a token waits for the disk. The lock must be uncontended.
   */
  static Library sqliteFloor(String uri) {
    return Library.ofLocks(
        name -> {
          try {
            transaction(uri, "FULL", INSERT, name).run();
            return Mutex.of(
                transaction(uri, "FULL", TAKE, name), transaction(uri, "NORMAL", GIVE, name));
          } catch (Exception e) {
            throw new IllegalStateException(name, e);
          }
        });
  }

  /** A transaction of one statement, which must change one row, on a separate connection. */
  private static Mutex.Step transaction(String uri, String synchronous, String sql, String name)
      throws SQLException {
    Connection connection =
        DriverManager.getConnection(
            uri + "?journal_mode=WAL&busy_timeout=60000&synchronous=" + synchronous);
    Statement control = connection.createStatement();
    PreparedStatement statement = connection.prepareStatement(sql);
    statement.setString(1, name);
    return () -> {
      // by hand: the driver begins the next transaction as soon as it has committed one
      control.execute("BEGIN IMMEDIATE");
      int rows = statement.executeUpdate();
      control.execute("COMMIT");
      if (rows != 1) {
        throw new IllegalStateException("the lock is not as it was left");
      }
    };
  }
}
