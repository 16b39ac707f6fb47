package dev.sluice.jdbc.rows;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The idle time of connections that Sluice opened, by a clock that the test moves. */
class OwnConnectionsTest {
  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 7); // nanoTime may overflow

  private final Connections connections =
      new OwnConnections("jdbc:h2:mem:own", Duration.ofSeconds(9), List.of(), now::get);

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  @Test
  void connectionsThatNobodyUsedForTenMinutesAreClosed() throws Exception {
    Connection used = connections.take();
    Connection second = connections.take();
    Connection third = connections.take();
    connections.give(third, false);
    connections.give(second, false);
    connections.give(used, false);

    pass(OwnConnections.MAX_IDLE);
    assertThat(connections.take()).isSameAs(used);
    connections.give(used, false);
    assertThat(List.of(second, third)).as("not yet").noneMatch(OwnConnectionsTest::isClosed);

    pass(Duration.ofNanos(1));
    assertThat(connections.take()).isSameAs(used);
    connections.give(used, false);
    assertThat(List.of(second, third)).allMatch(OwnConnectionsTest::isClosed);
    assertThat(connections.take()).as("in use").isSameAs(used);
    assertThat(used.isClosed()).isFalse();
    connections.give(used, false);
    connections.close();
    assertThat(used.isClosed()).isTrue();
  }

  private static boolean isClosed(Connection connection) {
    try {
      return connection.isClosed();
    } catch (java.sql.SQLException e) {
      throw new AssertionError(e);
    }
  }
}
