package dev.sluice.jdbc.signals;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Functions of the PostgreSQL driver beyond {@code java.sql}. They are looked up by reflection,
 * because applications on other databases have no such driver.
 */
final class PgNotifications {
  private final Object connection;
  private final Method get;
  private final Method text;

  private PgNotifications(Object connection, Class<?> type, Class<?> notification)
      throws NoSuchMethodException {
    this.connection = connection;
    this.get = type.getMethod("getNotifications", int.class);
    this.text = notification.getMethod("getParameter");
  }

  /** The driver's connection, which a pool may have wrapped. */
  static PgNotifications of(Connection connection) throws SQLException {
    ClassLoader loader = connection.getMetaData().getClass().getClassLoader();
    try {
      Class<?> type = Class.forName("org.postgresql.PGConnection", true, loader);
      Class<?> notification = Class.forName("org.postgresql.PGNotification", true, loader);
      return new PgNotifications(connection.unwrap(type), type, notification);
    } catch (ReflectiveOperationException e) {
      throw new SQLException("the driver of PostgreSQL is not known: " + e, e);
    }
  }

  /** Waits for notifications, and returns their texts. */
  List<String> await(int millis) throws SQLException {
    try {
      Object[] news = (Object[]) get.invoke(connection, millis);
      List<String> texts = new ArrayList<>(0);
      if (news != null) {
        for (Object each : news) {
          texts.add((String) text.invoke(each));
        }
      }
      return texts;
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof SQLException failure) {
        throw failure;
      }
      throw new SQLException(e.getCause());
    } catch (IllegalAccessException e) {
      throw new SQLException(e);
    }
  }
}
