package dev.sluice.flashsale.desk;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;

/** Real connections that break at a chosen call. */
public final class Failing {
  private Failing() {}

  /**
   * A connection that is lost within a call.
   *
   * @param real does all the others
   * @param method name of the call
   * @return fails there, each time
   */
  public static Connection at(Connection real, String method) {
    return (Connection)
        Proxy.newProxyInstance(
            Failing.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (self, called, arguments) -> {
              if (called.getName().equals(method)) {
                throw new SQLException("lost within " + method, "08006");
              }
              try {
                return called.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
