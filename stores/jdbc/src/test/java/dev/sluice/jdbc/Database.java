package dev.sluice.jdbc;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** A real database of a test, empty at first. */
public interface Database extends AutoCloseable {

  Dialect dialect();

  /** Where it is, with everything that a driver needs. */
  String url();

  /** Opens a connection that commits by itself. */
  Connection connect() throws SQLException;

  @Override
  void close();

  default void execute(String... statements) {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  default DataSource source() {
    return new DataSource() {
      @Override
      public Connection getConnection() throws SQLException {
        return connect();
      }

      @Override
      public Connection getConnection(String user, String password) throws SQLException {
        return connect();
      }

      @Override
      public PrintWriter getLogWriter() {
        return new PrintWriter(System.err, true);
      }

      @Override
      public void setLogWriter(PrintWriter out) throws SQLException {
        throw new SQLFeatureNotSupportedException();
      }

      @Override
      public void setLoginTimeout(int seconds) throws SQLException {
        throw new SQLFeatureNotSupportedException();
      }

      @Override
      public int getLoginTimeout() {
        return 0;
      }

      @Override
      public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
      }

      @Override
      public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("wraps nothing");
      }

      @Override
      public boolean isWrapperFor(Class<?> type) {
        return false;
      }
    };
  }
}
