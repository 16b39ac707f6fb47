package dev.sluice.console;

import static java.util.Objects.requireNonNull;

import dev.sluice.Extensions;
import dev.sluice.Sluice;
import dev.sluice.console.fleet.CacheFigures;
import dev.sluice.console.fleet.PresenceBoards;
import dev.sluice.console.http.Json;
import dev.sluice.limit.Limit;
import dev.sluice.limit.PolicyBook;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterStats;
import dev.sluice.lock.LockStats;
import dev.sluice.spi.ClientParts;
import dev.sluice.spi.NoteBackend;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Makes this process report its figures to every console of its store: limiters, caches, losses of
 * locks, names of filters. It reads one small note every five seconds. While a console runs, it
 * leaves one of at most 16 KB every 15 seconds; while a page of a console is open, every second. It
 * also {@linkplain PolicyBook#follow follows} the policy book, in which a console writes changed
 * limits.
 *
 * <p>Runs until it is closed. Safe for use by many threads.
 *
 * @since 0.1
 */
public final class FleetReporter implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.sluice.console");
  private static final long LOOK_NANOS = Duration.ofSeconds(5).toNanos();
  private static final long REPORT_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long REPORT_TTL_MICROS = 10_000_000;
  private static final long IDLE_REPORT_NANOS = Duration.ofSeconds(14).toNanos();
  private static final long IDLE_REPORT_TTL_MICROS = 45_000_000;

  private static final int MAX_LIMITERS = 40;
  private static final int MAX_CACHES = 40;
  private static final int MAX_LOCKS = 60;
  private static final int MAX_NAMES = 100;
  private static final int MAX_KEY_LENGTH = 64;

  private final Sluice sluice;
  private final ClientParts parts;
  private final NoteBackend notes;
  private final String process;
  private final long startedAt = ManagementFactory.getRuntimeMXBean().getStartTime();
  private final String host = host();
  // guarded by this
  private Runnable cancel = () -> {};
  private boolean closed;
  private long sequence;
  private long reportedNanos;

  private FleetReporter(Sluice sluice, ClientParts parts, String process) {
    this.sluice = sluice;
    this.parts = parts;
    this.process = process;
    this.notes = parts.backend().notes();
  }

  /**
   * Shows this process on consoles until the client is closed.
   *
   * @param sluice whose figures
   * @param process what people call this process, 1 to 100 characters: {@code orders-1}
   * @return the reporter; one for a client, so that the first name stays
   * @throws IllegalArgumentException if the name is empty or too long
   * @throws UnsupportedOperationException if the store has no notes of processes
   */
  public static FleetReporter start(Sluice sluice, String process) {
    requireNonNull(sluice, "sluice must not be null");
    requireNonNull(process, "process must not be null");
    if (process.isBlank() || process.length() > 100) {
      throw new IllegalArgumentException("process must be 1 to 100 characters: '" + process + "'");
    }
    FleetReporter started =
        Extensions.of(
            sluice,
            FleetReporter.class,
            parts -> {
              FleetReporter reporter = new FleetReporter(sluice, parts, process);
              reporter.plan(0);
              return reporter;
            });
    sluice.policyBook().follow();
    return started;
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "";
    }
  }

  private synchronized void plan(long nanos) {
    if (!closed) {
      cancel = parts.scheduler().schedule(this::look, nanos);
    }
  }

  /** Runs on the timer: sends a request, and continues on other threads. */
  private void look() {
    CompletionStage<Map<String, String>> asked;
    try {
      asked = notes.all(PresenceBoards.WATCH);
    } catch (RuntimeException e) {
      asked = CompletableFuture.failedFuture(e);
    }
    asked.whenComplete(
        (watching, failure) -> {
          boolean asks = failure == null && !watching.isEmpty();
          boolean watched =
              asks
                  && !watching.keySet().stream()
                      .allMatch(name -> name.startsWith(PresenceBoards.IDLE));
          if (asks) {
            parts.callbacks().execute(() -> report(watched));
          }
          // processes that started together do not ask together
          long jitter = ThreadLocalRandom.current().nextLong(LOOK_NANOS / 10);
          plan(watched ? REPORT_NANOS : LOOK_NANOS + jitter);
        });
  }

  private void report(boolean watched) {
    long now = parts.ticker().nanos();
    boolean due;
    synchronized (this) {
      if (closed) {
        return;
      }
      due = watched || sequence == 0 || now - reportedNanos >= IDLE_REPORT_NANOS;
      if (due) {
        reportedNanos = now;
      }
    }
    try {
      if (due) {
        long ttl = watched ? REPORT_TTL_MICROS : IDLE_REPORT_TTL_MICROS;
        notes
            .put(PresenceBoards.REPORT, sluice.clientId(), figures(watched), ttl)
            .whenComplete((done, failure) -> debug(failure));
      }
    } catch (RuntimeException e) {
      debug(e);
    }
  }

  private static void debug(@Nullable Throwable failure) {
    if (failure != null) {
      LOG.log(System.Logger.Level.DEBUG, "the report was not sent", failure);
    }
  }

  /** The displayed content, with shorter lists where it would be too long. */
  private String figures(boolean watched) {
    long number;
    synchronized (this) {
      number = ++sequence;
    }
    Map<String, Map<String, Long>> hot = new LinkedHashMap<>();
    List<RateLimiter> limiters = limiters();
    if (watched) { // keys are counted only while a console polls for them
      limiters.forEach(limiter -> hot.put(limiter.name(), limiter.busiestKeys()));
    }
    for (int divisor = 1; ; divisor *= 2) {
      String text = Json.text(figures(number, limiters, hot, divisor));
      if (text.getBytes(StandardCharsets.UTF_8).length <= NoteBackend.MAX_BYTES) {
        return text;
      }
    }
  }

  private Map<String, Object> figures(
      long number, List<RateLimiter> limiters, Map<String, Map<String, Long>> hot, int divisor) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("v", PresenceBoards.FORM);
    json.put("process", process);
    json.put("host", host);
    json.put("pid", ProcessHandle.current().pid());
    json.put("since", startedAt);
    json.put("seq", number);
    json.put("t", parts.ticker().nanos() / 1_000_000);
    List<Map<String, Object>> caches = CacheFigures.of(sluice);
    Map<String, LockStats> locks = sluice.lockStats();
    List<String> filters = sluice.bloomFilterNames();
    json.put(
        "limiters",
        limiters.stream()
            .limit(MAX_LIMITERS / divisor)
            .map(limiter -> limiter(limiter, hot.getOrDefault(limiter.name(), Map.of())))
            .toList());
    json.put("caches", caches.stream().limit(MAX_CACHES / divisor).toList());
    json.put("locks", locks(locks, MAX_LOCKS / divisor));
    json.put("filters", filters.stream().sorted().limit(MAX_NAMES / divisor).toList());
    json.put(
        "cut",
        limiters.size() > MAX_LIMITERS / divisor
            || caches.size() > MAX_CACHES / divisor
            || locks.size() > MAX_LOCKS / divisor
            || filters.size() > MAX_NAMES / divisor);
    return json;
  }

  /**
   * One entry for each name; if several policies have one name, the first is shown with all counts.
   */
  private List<RateLimiter> limiters() {
    return sluice.rateLimiters().stream()
        .sorted(
            Comparator.comparing((RateLimiter limiter) -> -calls(limiter))
                .thenComparing(RateLimiter::name))
        .toList();
  }

  private static long calls(RateLimiter limiter) {
    RateLimiterStats stats = limiter.stats();
    return stats.allowed() + stats.refused();
  }

  private static Map<String, Object> limiter(RateLimiter limiter, Map<String, Long> hot) {
    RateLimiterStats stats = limiter.stats();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("n", limiter.name());
    json.put("p", limiter.options().limits().stream().map(Limit::toString).toList());
    json.put("ver", limiter.options().version());
    json.put("ok", stats.allowed());
    json.put("no", stats.refused());
    json.put("trips", stats.trips());
    json.put("lease", stats.fromLease());
    json.put("memo", stats.fromMemo());
    json.put("away", stats.fromFallback());
    List<Map<String, Object>> keys = new ArrayList<>();
    hot.forEach(
        (key, count) -> {
          Map<String, Object> each = new LinkedHashMap<>();
          each.put(
              "k", key.length() > MAX_KEY_LENGTH ? key.substring(0, MAX_KEY_LENGTH) + "…" : key);
          each.put("c", count);
          keys.add(each);
        });
    json.put("hot", keys);
    return json;
  }

  private static List<Map<String, Object>> locks(Map<String, LockStats> stats, int most) {
    return stats.entrySet().stream()
        .sorted(
            Comparator.comparing((Map.Entry<String, LockStats> e) -> -e.getValue().losses())
                .thenComparing(e -> -e.getValue().turns())
                .thenComparing(Map.Entry::getKey))
        .limit(most)
        .map(
            e -> {
              Map<String, Object> json = new LinkedHashMap<>();
              json.put("n", e.getKey());
              json.put("turns", e.getValue().turns());
              json.put("grants", e.getValue().grants());
              json.put("losses", e.getValue().losses());
              return json;
            })
        .toList();
  }

  /** Stops reporting; the last figures expire within a minute. Idempotent. */
  @Override
  public synchronized void close() {
    closed = true;
    cancel.run();
  }
}
