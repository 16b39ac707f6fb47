package dev.sluice.inventory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.awaitility.Durations.ONE_MINUTE;

import dev.sluice.Sluice;
import dev.sluice.memory.ManualTime;
import dev.sluice.memory.MemoryBackend;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A handler that always throws is counted, and logged with its exception at most once a minute. */
class FailingDrainTest {
  private final Logger log = Logger.getLogger("dev.sluice.inventory");
  private final List<LogRecord> warnings = new CopyOnWriteArrayList<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord entry) {
          if (entry.getLevel() == Level.WARNING) {
            warnings.add(entry);
          }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    log.addHandler(handler);
    log.setUseParentHandlers(false);
  }

  @AfterEach
  void close() {
    log.removeHandler(handler);
    log.setUseParentHandlers(true);
  }

  @Test
  void isToldOnceAMinute() {
    ManualTime time = new ManualTime();
    try (Sluice sluice =
        Sluice.builder().backend(new MemoryBackend(time::storeMicros)).time(time, time).build()) {
      Inventory stock = sluice.inventory("sku");
      stock.open(Sale.epoch(1).total(5).drained());
      stock.claim("ann", 1, "r");
      ClaimConsumer drain =
          stock.drain(
              DrainOptions.defaults(),
              batch -> {
                throw new SQLException("table orders not found");
              });
      untilFailed(drain, 3, time);
      assertThat(warnings).hasSize(1);
      assertThat(warnings.get(0).getMessage())
          .isEqualTo(
              "stock 'sku': the handler of a drain failed, and is called again for these claims:"
                  + " 1");
      assertThat(warnings.get(0).getThrown()).isInstanceOf(SQLException.class);

      time.advance(Duration.ofMinutes(1));
      untilFailed(drain, drain.stats().failed() + 1, time);
      assertThat(warnings).hasSize(2);
      assertThat(drain.stats()).isEqualTo(new DrainStats(0, 0, drain.stats().failed()));
    }
  }

  private static void untilFailed(ClaimConsumer drain, long calls, ManualTime time) {
    await()
        .atMost(ONE_MINUTE)
        .until(
            () -> {
              if (drain.stats().failed() < calls) {
                time.advance(Duration.ofMillis(10));
              }
              return drain.stats().failed() >= calls;
            });
  }
}
