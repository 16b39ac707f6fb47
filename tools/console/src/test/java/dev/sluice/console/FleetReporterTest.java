package dev.sluice.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.console.fleet.PresenceBoards;
import dev.sluice.console.http.Json;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.memory.ManualTime;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.spi.Backend;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.LimitBackend;
import dev.sluice.spi.NoteBackend;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The reports of a process for consoles, by a clock that the test moves. */
class FleetReporterTest {
  private static final long MINUTE_MICROS = 60_000_000;

  private final ManualTime time = new ManualTime();
  private final MemoryBackend store = new MemoryBackend(time::storeMicros);
  private final Counting counting = new Counting(store);
  private Sluice sluice;

  @BeforeEach
  void open() {
    sluice = Sluice.builder().backend(counting).time(time, time).callbacks(Runnable::run).build();
    FleetReporter.start(sluice, "orders-1");
  }

  @AfterEach
  void close() {
    sluice.close();
  }

  private void pass(Duration span) {
    for (long left = span.toMillis(); left > 0; left -= 100) {
      time.advance(Duration.ofMillis(100));
    }
  }

  private void watch(String mark, long ttlMicros) {
    store
        .notes()
        .put(PresenceBoards.WATCH, "console", mark, ttlMicros)
        .toCompletableFuture()
        .join();
  }

  private Map<String, String> reports() {
    return store.notes().all(PresenceBoards.REPORT).toCompletableFuture().join();
  }

  @Test
  void whileNobodyWatchesItReadsOnceInFiveSecondsAndWritesNothing() {
    pass(Duration.ofMinutes(1));
    assertThat(counting.reads).isBetween(10, 13);
    assertThat(counting.writes).isZero();
  }

  @Test
  void whileSomebodyWatchesItShowsItselfEachSecondAndThenNoMore() {
    watch("{\"v\":1}", 30_000_000);
    pass(Duration.ofSeconds(6));
    assertThat(reports()).containsOnlyKeys(sluice.clientId());
    int early = counting.writes;
    pass(Duration.ofSeconds(10));
    assertThat(counting.writes - early).isBetween(9, 11);
    assertThat(Json.object(reports().get(sluice.clientId()))).containsEntry("process", "orders-1");

    pass(Duration.ofSeconds(20)); // the mark is gone
    int last = counting.writes;
    pass(Duration.ofSeconds(60));
    assertThat(counting.writes).isEqualTo(last);
    assertThat(reports()).isEmpty();
  }

  @Test
  void whileAConsoleRunsWithoutAPageItShowsItselfEachFifteenSecondsAndCountsNoKeys() {
    RateLimiter limiter = sluice.rateLimiter("login", Limit.fixedWindow(9, Duration.ofHours(1)));
    store
        .notes()
        .put(PresenceBoards.WATCH, PresenceBoards.IDLE + "console", "{\"v\":1}", 10 * MINUTE_MICROS)
        .toCompletableFuture()
        .join();
    pass(Duration.ofSeconds(7));
    assertThat(reports()).containsOnlyKeys(sluice.clientId());
    int writes = counting.writes;
    int reads = counting.reads;
    limiter.tryAcquire("alice");
    pass(Duration.ofMinutes(2));
    assertThat(counting.writes - writes).isBetween(6, 9);
    assertThat(counting.reads - reads).isBetween(20, 26);
    assertThat(reports().get(sluice.clientId())).as("it never goes").doesNotContain("alice");

    watch("{\"v\":1}", MINUTE_MICROS);
    pass(Duration.ofSeconds(10));
    writes = counting.writes;
    pass(Duration.ofSeconds(10));
    assertThat(counting.writes - writes).isBetween(9, 11);
  }

  @Test
  void policyOfTheBookIsTakenOver() {
    RateLimiter limiter = sluice.rateLimiter("login", Limit.fixedWindow(1, Duration.ofHours(1)));
    Limit five = Limit.fixedWindow(5, Duration.ofHours(1));
    sluice.policyBook().set("login", RateLimiterOptions.of(five), "ops", "");
    pass(Duration.ofSeconds(2));
    assertThat(limiter.options().version()).isEqualTo(1);
    assertThat(limiter.options().limits()).containsExactly(five);
  }

  @Test
  void itEndsWithItsClient() {
    watch("{\"v\":1}", 600_000_000);
    pass(Duration.ofSeconds(7));
    sluice.close();
    int reads = counting.reads;
    int writes = counting.writes;
    pass(Duration.ofSeconds(30));
    assertThat(counting.reads).isEqualTo(reads);
    assertThat(counting.writes).isEqualTo(writes);
  }

  /** The store in memory, and how often the boards of consoles are used. */
  private static final class Counting implements Backend, NoteBackend {
    private final MemoryBackend store;
    int reads;
    int writes;

    Counting(MemoryBackend store) {
      this.store = store;
    }

    @Override
    public CompletionStage<Boolean> put(String board, String name, String text, long ttlMicros) {
      writes += board.equals(PresenceBoards.REPORT) ? 1 : 0;
      return store.notes().put(board, name, text, ttlMicros);
    }

    @Override
    public CompletionStage<Boolean> replace(
        String board, String name, @Nullable String expected, String text) {
      return store.notes().replace(board, name, expected, text);
    }

    @Override
    public CompletionStage<Map<String, String>> all(String board) {
      reads += board.equals(PresenceBoards.WATCH) ? 1 : 0;
      return store.notes().all(board);
    }

    @Override
    public NoteBackend notes() {
      return this;
    }

    @Override
    public String describe() {
      return store.describe();
    }

    @Override
    public GrantBackend locks() {
      return store.locks();
    }

    @Override
    public LimitBackend limits() {
      return store.limits();
    }

    @Override
    public void close() {}
  }
}
