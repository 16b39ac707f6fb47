package dev.sluice.flashsale;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.stereotype.Component;

/**
 * Puts the database as far away as databases are. An embedded one answers in microseconds, and what
 * is compared would be this machine's processor. With a round trip for each statement and each
 * commit, what counts is how often a purchase asks, and what it locks meanwhile.
 */
@Component
class RoundTrips implements BeanPostProcessor {
  private final long nanos;

  RoundTrips(Environment settings) {
    this.nanos =
        Binder.get(settings)
            .bind("sale.round-trip", Duration.class)
            .orElse(Duration.ZERO)
            .toNanos();
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    return nanos == 0 || !(bean instanceof DataSource near)
        ? bean
        : new DelegatingDataSource(near) {
          @Override
          public Connection getConnection() throws SQLException {
            return far(Connection.class, super.getConnection());
          }
        };
  }

  private <T> T far(Class<T> type, T near) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              String name = method.getName();
              if (name.startsWith("execute") || name.equals("commit") || name.equals("rollback")) {
                travel();
              }
              try {
                Object answer = method.invoke(near, arguments);
                return answer instanceof PreparedStatement prepared
                    ? far(PreparedStatement.class, prepared)
                    : answer instanceof Statement plain ? far(Statement.class, plain) : answer;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  /** Not by a sleep: an interrupt must not reach H2, which would close its file. */
  void travel() {
    long end = System.nanoTime() + nanos;
    for (long left = nanos; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
