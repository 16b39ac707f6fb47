package dev.sluice.jdbc;

import dev.sluice.jdbc.rows.Connections;
import dev.sluice.testkit.HeldTime;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Connections on which statements read the time of a test in the place of the database's clock.
 *
 * @param real what to prepare statements on
 * @param dialect of the database
 * @param time what they read
 */
record HeldConnections(Connections real, Dialect dialect, HeldTime time) implements Connections {

  @Override
  public Connection take() throws SQLException {
    Connection connection = real.take();
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("unwrap") && arguments[0] == Connection.class) {
                return connection;
              }
              if (method.getName().equals("prepareStatement")) {
                String now = Long.toString(time.storeMicros());
                arguments[0] = ((String) arguments[0]).replace(dialect.sql().now, now);
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Override
  public void give(Connection connection, boolean broken) {
    try {
      real.give(connection.unwrap(Connection.class), broken);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public boolean areLent() {
    return real.areLent();
  }

  @Override
  public void close() {
    real.close();
  }
}
