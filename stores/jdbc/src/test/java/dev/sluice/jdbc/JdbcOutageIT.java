package dev.sluice.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.BackendException;
import dev.sluice.jdbc.rows.Connections;
import dev.sluice.servers.TcpProxy;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A server, or a pool, that takes a request and never answers. */
class JdbcOutageIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration TIMEOUT = Duration.ofSeconds(1);

  /** By itself MariaDB's driver waits for half a minute, PostgreSQL's for ever. */
  private static final Duration LESS_THAN_A_DRIVER_WAITS = Duration.ofSeconds(25);

  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  private <T extends AutoCloseable> T closing(T made) {
    open.add(made);
    return made;
  }

  private static CompletableFuture<GrantReply> acquire(JdbcBackend backend, String name) {
    return backend
        .locks()
        .acquire(new GrantRequest(name, "c", 1, 30_000_000, 1, false))
        .toCompletableFuture();
  }

  /** Whether a lock that nobody has can be had. */
  private static boolean works(JdbcBackend backend, String name) {
    try {
      return acquire(backend, name).join() instanceof GrantReply.Granted;
    } catch (CompletionException e) {
      assertThat(e).hasCauseInstanceOf(BackendException.class);
      return false;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"postgresql", "mariadb"})
  void aSilentServerFailsTheConnect(String product) throws Exception {
    ServerSocket silent = closing(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
    Queue<Socket> accepted = new ConcurrentLinkedQueue<>();
    Thread accepting =
        new Thread(
            () -> {
              try {
                while (true) {
                  accepted.add(silent.accept());
                }
              } catch (IOException e) {
                return; // the test is over
              }
            });
    accepting.setDaemon(true);
    accepting.start();
    String url = "jdbc:" + product + "://127.0.0.1:" + silent.getLocalPort() + "/x?user=u";
    JdbcBackendBuilder builder = JdbcBackend.builder().url(url).requestTimeout(TIMEOUT);
    assertThat(CompletableFuture.supplyAsync(builder::build))
        .failsWithin(LESS_THAN_A_DRIVER_WAITS)
        .withThrowableThat()
        .withCauseInstanceOf(BackendException.class);
    for (Socket each : accepted) {
      each.close();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Dialect.class,
      names = {"POSTGRESQL", "MARIADB"})
  void requestsWorkAgainAfterANetworkThatSwallowedThem(Dialect dialect) {
    Database database = new JdbcStoreUnderTest(dialect).database();
    AtomicBoolean swallows = new AtomicBoolean();
    AtomicInteger swallowed = new AtomicInteger();
    TcpProxy proxy =
        closing(
            new TcpProxy(
                Databases.port(dialect),
                () -> {
                  AtomicBoolean dead = new AtomicBoolean();
                  return (bytes, count, out) -> {
                    if (!swallows.get()) {
                      out.write(bytes, 0, count);
                    } else if (dead.compareAndSet(false, true)) {
                      swallowed.incrementAndGet();
                    }
                  };
                }));
    String url =
        database.url().replace(":" + Databases.port(dialect), ":" + proxy.port())
            + (dialect == Dialect.POSTGRESQL ? "&sslmode=disable" : ""); // it has its own limit
    JdbcBackend backend =
        closing(
            JdbcBackend.builder()
                .url(url)
                .wakeUps(false)
                .threads(2)
                .requestTimeout(TIMEOUT.multipliedBy(3)) // the first answer comes within it
                .build());
    assertThat(works(backend, "before")).isTrue();

    swallows.set(true);
    AtomicInteger round = new AtomicInteger();
    await() // the connection, the cancel of its statement, and a log-in of each thread
        .atMost(Duration.ofMinutes(2))
        .until(
            () -> {
              round.incrementAndGet();
              for (int i = 0; i < 3; i++) {
                acquire(backend, "during-" + round + "-" + i);
              }
              assertThat(works(backend, "during-" + round)).isFalse();
              return swallowed.get() >= 4;
            });
    swallows.set(false);

    AtomicInteger tries = new AtomicInteger();
    await().atMost(PATIENCE).until(() -> works(backend, "after-" + tries.incrementAndGet()));
  }

  /** A pool that keeps whoever asks while {@code away}, until the test is over. */
  private Connections keeping(
      String url, AtomicBoolean away, AtomicInteger kept, CountDownLatch over) {
    Connections real = Connections.to(url, Duration.ofSeconds(5));
    return new Connections() {
      @Override
      public Connection take() throws SQLException {
        if (away.get()) {
          kept.incrementAndGet();
          try {
            over.await();
          } catch (InterruptedException e) {
            throw new SQLException(e);
          }
        }
        return real.take();
      }

      @Override
      public void give(Connection connection, boolean broken) {
        real.give(connection, broken);
      }

      @Override
      public boolean areLent() {
        return false;
      }

      @Override
      public void close() {
        real.close();
      }
    };
  }

  @Test
  void threadsThatAPoolKeepsAreReplacedUpToABound() {
    Database database = new JdbcStoreUnderTest(Dialect.H2).database();
    AtomicBoolean away = new AtomicBoolean();
    AtomicInteger kept = new AtomicInteger();
    CountDownLatch over = new CountDownLatch(1);
    open.add(over::countDown);
    JdbcBackend backend =
        closing(
            JdbcBackend.open(
                keeping(database.url(), away, kept, over),
                JdbcBackend.builder().threads(2),
                Duration.ofMillis(200)));
    away.set(true);
    CompletableFuture<GrantReply> first = acquire(backend, "a");
    CompletableFuture<GrantReply> second = acquire(backend, "b");
    await().atMost(PATIENCE).until(() -> kept.get() == 2);
    away.set(false);
    assertThat(first).failsWithin(PATIENCE);
    assertThat(second).failsWithin(PATIENCE);
    await().atMost(PATIENCE).until(() -> works(backend, "c"));
    await().atMost(PATIENCE).until(() -> works(backend, "a")); // also what it was about

    away.set(true);
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              assertThat(works(backend, "d")).isFalse();
              return kept.get() == 4;
            });
    for (int i = 0; i < 10; i++) {
      assertThat(works(backend, "e" + i)).isFalse();
    }
    assertThat(kept).as("as many again as there are threads").hasValue(4);

    away.set(false);
    over.countDown();
    await().atMost(PATIENCE).until(() -> works(backend, "f"));
  }
}
