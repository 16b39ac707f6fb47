package dev.sluice.verification.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The pool of a seller that is started while its database dies. */
class SellerPoolTest {
  private static final String URL = "jdbc:dying-at-first:";

  private final FirstDies driver = new FirstDies();

  @BeforeEach
  void register() throws SQLException {
    DriverManager.registerDriver(driver);
  }

  @AfterEach
  void deregister() throws SQLException {
    DriverManager.deregisterDriver(driver);
  }

  @Test
  void aPoolWhoseFirstConnectionDiesRecovers() throws SQLException {
    try (HikariDataSource pool = SellerMain.database(URL);
        Connection connection = pool.getConnection()) {
      assertThat(connection.isValid(1)).isTrue();
    }
  }

  @Test
  void withoutALevelItNeverDoes() {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(URL);
    config.setConnectionTimeout(1000);
    config.setInitializationFailTimeout(-1);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(pool::getConnection).isInstanceOf(SQLTransientConnectionException.class);
      }
      await() // a busy machine may not have tried for a second time before
          .untilAsserted(
              () ->
                  assertThatThrownBy(pool::getConnection)
                      .isInstanceOf(SQLTransientConnectionException.class)
                      .hasStackTraceContaining("-1"));
    }
    assertThat(driver.made).hasValueGreaterThan(1);
  }

  /** H2, whose first connection is lost when it is asked for its level. */
  private static final class FirstDies implements Driver {
    final AtomicInteger made = new AtomicInteger();

    @Override
    public Connection connect(String url, Properties info) throws SQLException {
      if (!acceptsURL(url)) {
        return null;
      }
      Connection real = DriverManager.getConnection("jdbc:h2:mem:");
      return made.incrementAndGet() == 1 ? dying(real) : real;
    }

    private static Connection dying(Connection real) {
      return (Connection)
          Proxy.newProxyInstance(
              FirstDies.class.getClassLoader(),
              new Class<?>[] {Connection.class},
              (self, called, arguments) -> {
                if (called.getName().equals("getTransactionIsolation")) {
                  throw new SQLException("connection lost", "08006");
                }
                try {
                  return called.invoke(real, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });
    }

    @Override
    public boolean acceptsURL(String url) {
      return url.equals(URL);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
      return new DriverPropertyInfo[0];
    }

    @Override
    public int getMajorVersion() {
      return 1;
    }

    @Override
    public int getMinorVersion() {
      return 0;
    }

    @Override
    public boolean jdbcCompliant() {
      return false;
    }

    @Override
    public Logger getParentLogger() {
      return Logger.getGlobal();
    }
  }
}
