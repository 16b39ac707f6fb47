package dev.sluice.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.jdbc.dialect.SqlDialect;
import dev.sluice.jdbc.rows.SqlSession;
import dev.sluice.servers.TcpProxy;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.SaleTerms;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A process that is gone, or paused, in the middle of a step; its connection stays open. */
class JdbcSilentClientIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Of a request of the silent client, whose rows the server keeps for no longer. */
  private static final Duration LIMIT = Duration.ofSeconds(4);

  private final List<AutoCloseable> open = new ArrayList<>();
  private final CountDownLatch over = new CountDownLatch(1);
  private final AtomicInteger silent = new AtomicInteger();

  @AfterEach
  void close() throws Exception {
    over.countDown();
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  private <T extends AutoCloseable> T closing(T made) {
    open.add(made);
    return made;
  }

  /** Passes what a client sends up to its first commit; not that, nor that it has left. */
  private void passUpToCommit(byte[] bytes, int count, OutputStream out) throws IOException {
    String sent = new String(bytes, 0, count, StandardCharsets.ISO_8859_1);
    if (sent.replace("COMMITTED", "").contains("COMMIT")) {
      silent.incrementAndGet();
      try {
        over.await();
      } catch (InterruptedException e) {
        throw new InterruptedIOException();
      }
      throw new IOException("the test is over");
    }
    out.write(bytes, 0, count);
  }

  /** Gives connections, and is asked nothing else. */
  private static DataSource lent(String url) {
    return (DataSource)
        Proxy.newProxyInstance(
            DataSource.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (self, method, arguments) -> DriverManager.getConnection(url));
  }

  private static boolean isGranted(JdbcBackend backend, String client) {
    try {
      return backend
              .locks()
              .acquire(new GrantRequest("row", client, 1, 30_000_000, 1, false))
              .toCompletableFuture()
              .join()
          instanceof GrantReply.Granted;
    } catch (CompletionException e) {
      return false; // the row is kept
    }
  }

  @ParameterizedTest
  @CsvSource({"POSTGRESQL, false", "POSTGRESQL, true", "MARIADB, false", "MARIADB, true"})
  void whoIsSilentBeforeItsCommitKeepsNoRow(Dialect dialect, boolean lent) throws Exception {
    Database database = new JdbcStoreUnderTest(dialect).database();
    TcpProxy proxy = closing(new TcpProxy(Databases.port(dialect), () -> this::passUpToCommit));
    JdbcBackend other =
        closing(
            JdbcBackend.builder()
                .url(database.url())
                .rowLocking(RowLocking.PESSIMISTIC)
                .requestTimeout(PATIENCE)
                .build());
    assertThat(isGranted(other, "first")).isTrue(); // so that there is a row
    other.locks().release(new GrantAttempt.Id("row", "first", 1), 0).toCompletableFuture().join();

    String url = database.url().replace(":" + Databases.port(dialect), ":" + proxy.port());
    JdbcBackendBuilder builder =
        JdbcBackend.builder()
            .rowLocking(RowLocking.PESSIMISTIC)
            .wakeUps(false)
            .requestTimeout(LIMIT);
    JdbcBackend gone = closing((lent ? builder.dataSource(lent(url)) : builder.url(url)).build());
    gone.locks().acquire(new GrantRequest("row", "gone", 1, 2_000_000, 1, false));
    await().atMost(PATIENCE).until(() -> silent.get() > 0);

    await().atMost(PATIENCE).until(() -> isGranted(other, "second"));
  }

  @ParameterizedTest
  @CsvSource({"POSTGRESQL", "MARIADB"})
  void whoIsSilentBeforeItsCommitKeepsNoStock(Dialect dialect) throws Exception {
    Database database = new JdbcStoreUnderTest(dialect).database();
    TcpProxy proxy = closing(new TcpProxy(Databases.port(dialect), () -> this::passUpToCommit));
    String url = database.url().replace(":" + Databases.port(dialect), ":" + proxy.port());
    JdbcBackend other = closing(backend(database.url(), PATIENCE));
    JdbcBackend gone = closing(backend(url, LIMIT));
    SaleTerms terms = new SaleTerms(1, 10, 0, false, 0, Long.MAX_VALUE / 4);
    other.inventories().open("stock", terms).toCompletableFuture().join();

    gone.inventories().resize("stock", 1, 20);
    await().atMost(PATIENCE).until(() -> silent.get() > 0);

    await().atMost(PATIENCE).until(() -> isResized(other));
  }

  private static JdbcBackend backend(String url, Duration timeout) {
    return JdbcBackend.builder().url(url).wakeUps(false).requestTimeout(timeout).build();
  }

  private static boolean isResized(JdbcBackend backend) {
    try {
      backend.inventories().resize("stock", 1, 30).toCompletableFuture().join();
      return true;
    } catch (CompletionException e) {
      return false; // the row is kept
    }
  }

  private static String ask(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }

  @Test
  void aLentConnectionOfMariadbKeepsItsOwnLimit() throws Exception {
    Database database = new JdbcStoreUnderTest(Dialect.MARIADB).database();
    String limit = "SELECT @@SESSION.idle_transaction_timeout";
    try (Connection connection = database.connect()) {
      SqlSession.Terms terms =
          new SqlSession.Terms(SqlDialect.MARIADB, Duration.ofSeconds(5), true);
      SqlSession session = new SqlSession(terms, connection, () -> true, () -> {});
      session.execute("SET SESSION idle_transaction_timeout = 77");
      for (int steps = 0; steps < 2; steps++) { // one use may have several transactions
        session.begin();
        assertThat(ask(connection, limit)).isEqualTo("5");
        session.commit();
      }
      assertThat(session.leave(null)).isTrue();
      assertThat(ask(connection, limit)).isEqualTo("77");
      assertThat(ask(connection, "SELECT @sluice_idle")).isNull();
    }
  }
}
