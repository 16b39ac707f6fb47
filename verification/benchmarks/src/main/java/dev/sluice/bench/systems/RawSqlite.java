package dev.sluice.bench.systems;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * The least that a fenced lock in a file can cost: two transactions, of which only the one that
 * gives a token waits for the disk. Nobody else may want the lock.
 */
final class RawSqlite implements LockSystem {
  private static final String INSERT = "INSERT INTO raw_lock VALUES (?, 0, 0)";
  private static final String TAKE =
      "UPDATE raw_lock SET token = token + 1, held = 1 WHERE name = ? AND held = 0";
  private static final String GIVE = "UPDATE raw_lock SET held = 0 WHERE name = ? AND held = 1";

  private final String uri;
  private final List<Step> steps = new ArrayList<>();

  RawSqlite(String uri) {
    this.uri = uri;
  }

  private Step step(String synchronous, String sql, String name) throws SQLException {
    Step made = new Step(uri, synchronous, sql, name);
    steps.add(made);
    return made;
  }

  @Override
  public Mutex mutex(String name, Habit habit) {
    LockSystem.requirePlain(habit);
    try {
      step("FULL", INSERT, name).run();
      Step take = step("FULL", TAKE, name);
      Step give = step("NORMAL", GIVE, name);
      return new Mutex() {
        @Override
        public void acquire() throws SQLException {
          take.run();
        }

        @Override
        public void release() throws SQLException {
          give.run();
        }
      };
    } catch (SQLException e) {
      throw new IllegalStateException(name, e);
    }
  }

  @Override
  public void close() {
    steps.forEach(Step::close);
  }

  /** A transaction of one statement, which must change one row, on a connection of its own. */
  private static final class Step {
    private final Connection connection;
    private final Statement control;
    private final PreparedStatement statement;

    Step(String uri, String synchronous, String sql, String name) throws SQLException {
      this.connection =
          DriverManager.getConnection(
              uri + "?journal_mode=WAL&busy_timeout=60000&synchronous=" + synchronous);
      this.control = connection.createStatement();
      this.statement = connection.prepareStatement(sql);
      statement.setString(1, name);
    }

    void run() throws SQLException {
      // by hand: the driver begins the next transaction as soon as it has committed one
      control.execute("BEGIN IMMEDIATE");
      int rows = statement.executeUpdate();
      control.execute("COMMIT");
      if (rows != 1) {
        throw new IllegalStateException("the lock is not as it was left");
      }
    }

    void close() {
      try {
        connection.close();
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
