package dev.sluice.jdbc;

import dev.sluice.jdbc.rows.Connections;
import dev.sluice.jdbc.rows.Rows;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Opens backends for tests in other packages, and shows their inside. */
public final class OpenedJdbc {
  private OpenedJdbc() {}

  /** {@return a backend on connections of the test} */
  public static JdbcBackend open(
      Connections connections, JdbcBackendBuilder settings, Duration timeout) {
    return JdbcBackend.open(connections, settings, timeout);
  }

  /** {@return the number of scheduled tasks} */
  public static int planned(JdbcBackend backend) {
    return backend.planned();
  }

  /** Deletes some expired rows; true if more are likely. */
  public static CompletableFuture<Boolean> sweep(JdbcBackend backend) {
    return backend.sweep();
  }

  /** {@return the states of any kind} */
  public static Rows rows(JdbcBackend backend) {
    return backend.rows();
  }
}
