package dev.sluice.jdbc;

import dev.sluice.guard.FencingToken;
import dev.sluice.guard.Guard;
import dev.sluice.guard.StaleTokenException;
import dev.sluice.testkit.guard.Guards;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;

/** The contract in transactions of a real database. */
abstract class JdbcGuardContract implements Guards {
  private final Database database;
  private final JdbcGuard guard;

  JdbcGuardContract(Dialect dialect) {
    database = Databases.empty(dialect);
    guard = JdbcGuard.create(database.source());
    guard.createTable();
    guard.createTable(); // again does nothing
    database.execute("CREATE TABLE register (n BIGINT)", "INSERT INTO register VALUES (0)");
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Override
  public Guard guard() {
    return guard;
  }

  @Override
  public Register register() {
    return new Register() {
      @Override
      public long read(FencingToken token) {
        return in(
            token,
            connection -> {
              try (Statement statement = connection.createStatement();
                  ResultSet row = statement.executeQuery("SELECT n FROM register")) {
                row.next();
                return row.getLong(1);
              }
            });
      }

      @Override
      public void write(FencingToken token, long value) {
        in(
            token,
            connection -> {
              try (PreparedStatement statement =
                  connection.prepareStatement("UPDATE register SET n = ?")) {
                statement.setLong(1, value);
                return (long) statement.executeUpdate();
              }
            });
      }
    };
  }

  private interface Work {
    long run(Connection connection) throws SQLException;
  }

  private long in(FencingToken token, Work work) {
    try (Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      try {
        guard.on(connection).advance("register", token);
        long result = work.run(connection);
        connection.commit();
        return result;
      } catch (StaleTokenException e) {
        connection.rollback();
        throw e;
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}
