package dev.sluice.redis.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.redis.PatientClient;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import java.util.function.LongBinaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Four processes on one key of one server, in real time. */
@EachRedis
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LimitProcessesIT {
  private static final int PROCESSES = 4;
  private static final int THREADS = 32;
  private static final long HAMMER_MILLIS = 500;
  private static final Duration AGES = Duration.ofSeconds(60);

  private final RedisServer server;
  private final List<LimitProcess> processes = new ArrayList<>();

  LimitProcessesIT(RedisServer server) {
    this.server = server;
  }

  @BeforeEach
  void start() {
    server.call("FLUSHALL");
    for (int i = 0; i < PROCESSES; i++) {
      processes.add(new LimitProcess(server.uri()));
    }
    processes.forEach(LimitProcess::awaitReady);
  }

  @AfterEach
  void stop() {
    processes.forEach(LimitProcess::close);
  }

  @Test
  void noAlgorithmEverAdmitsMoreThanItsBound() {
    long window = 250_000;
    long limit = 200;
    LongBinaryOperator anySpan = (from, to) -> limit * ((to - from) / window + 1);
    LongBinaryOperator clockWindows =
        (from, to) -> limit * (Math.floorDiv(to, window) - Math.floorDiv(from, window) + 1);
    LongBinaryOperator ownWindows = (from, to) -> limit * ((to - from) / window + 2);
    LongBinaryOperator bucket = (from, to) -> 100 + (to - from) / 2000; // 500 a second

    assertBound("fixed-window 200/250ms", clockWindows);
    assertBound("sliding-log 200/250ms", anySpan);
    assertBound("sliding-window 200/250ms", anySpan);
    assertBound("token-bucket 500/s burst 100", bucket);
    assertBound("leaky-bucket 500/s burst 100", bucket);
    assertBound("gcra 500/s burst 100", bucket);
    assertBound("expiring-window 200/250ms", ownWindows);
  }

  private void assertBound(String limit, LongBinaryOperator bound) {
    assertBound(limit, false, bound);
    assertBound(limit, true, bound);
    assertThat(keysWithoutExpiry()).isEmpty();
  }

  private void assertBound(String limit, boolean leasing, LongBinaryOperator bound) {
    String name = limit.substring(0, limit.indexOf(' ')) + (leasing ? "-leased" : "");
    ObservedAdmissions admissions = hammer(limit, leasing, process -> name);
    assertThat(admissions.excess(bound)).as(name + " above its bound").isZero();
    // a limiter that refuses everybody keeps every bound
    assertThat(admissions.count()).as(name).isGreaterThan(90);
  }

  @Test
  void processesThatDoNotShareALimitAreSeenToBreakIt() {
    String limit = "token-bucket 1/s burst 100"; // slow: processes need not run at the same moment
    ObservedAdmissions admissions = hammer(limit, false, process -> "of-" + (process % 2));
    LongBinaryOperator bucket = (from, to) -> 100 + (to - from) / 1_000_000;
    assertThat(admissions.excess(bucket)).isPositive();
  }

  private ObservedAdmissions hammer(String limit, boolean leasing, IntFunction<String> name) {
    for (int i = 0; i < PROCESSES; i++) {
      processes
          .get(i)
          .order(
              String.join(
                  " ",
                  "hammer",
                  name.apply(i),
                  leasing ? "leasing" : "plain",
                  THREADS + "," + HAMMER_MILLIS,
                  limit));
    }
    ObservedAdmissions admissions = new ObservedAdmissions();
    for (LimitProcess process : processes) {
      String done =
          process.answer(
              "done",
              line -> {
                int blank = line.indexOf(' ');
                admissions.add(
                    Long.parseLong(line.substring(0, blank)),
                    Long.parseLong(line.substring(blank + 1)));
              });
      assertThat(done).as("trips, and decisions without the store").endsWith(" 0");
    }
    return admissions;
  }

  /** A ticket in the queue, as the store names it. */
  private record Place(String client, long ticket) {}

  @Test
  void aQueueLetsTwoHundredWaitersOfFourProcessesThroughInOrder() throws Exception {
    long interval = 25_000;
    String limit = "leaky-queue 40/s places 2000";
    try (Sluice first = PatientClient.connect(server.uri())) {
      // whoever comes first passes at once; this one keeps all others waiting for twenty seconds
      RateLimiterOptions options = RateLimiterOptions.of(Limit.parse(limit)).deadline(AGES);
      assertThat(first.rateLimiter("queue", options).tryAcquire(LimitWorker.KEY, 800).allowed())
          .isTrue();

      List<Place> oneByOne = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        LimitProcess process = processes.get(i % PROCESSES);
        process.order("enter queue 1 - " + limit);
        process.answer("entered");
        int waiting = i + 1;
        soon(() -> turns().size() == waiting);
        oneByOne.add(new Place(process.client(), 1 + i / PROCESSES));
      }
      processes.forEach(process -> process.order("enter queue 45 - " + limit));
      processes.forEach(process -> process.answer("entered"));
      soon(() -> turns().size() == 200);
      Map<Place, Long> before = turns();
      assertThat(new ArrayList<>(before.keySet()).subList(0, 20)).isEqualTo(oneByOne);
      assertSpaced(before, interval);

      List<Place> order = new ArrayList<>(before.keySet());
      List<Place> left = new ArrayList<>(order);
      for (int i = 5; i < 200; i += 10) { // while the first one still has its time
        cancel(order.get(i), left);
      }
      Map<Place, Long> settled = awaitOrder(left, interval);
      long start = settled.values().iterator().next();
      assertThat(start).as("the first turn").isEqualTo(before.values().iterator().next());

      soon(() -> LimitWorker.wallMicros() > start + 10 * interval); // turns have begun to come
      for (int i = 134; i < 200; i += 10) { // three seconds before the turn of the first of them
        cancel(order.get(i), left);
      }
      Map<Place, Long> expected = new HashMap<>();
      soon(
          () -> {
            Map<Place, Long> turns = turns();
            return left.containsAll(turns.keySet()) && isSpaced(turns, interval);
          });
      expected.putAll(settled);
      expected.putAll(turns());

      long previous = 0;
      for (Place place : left) {
        long turn = expected.get(place);
        assertThat(turn - previous).isGreaterThanOrEqualTo(interval);
        previous = turn;
        LimitProcess process = processOf(place);
        process.order("turn " + place.ticket());
        // timers count on another clock; slewing makes the two differ by at most 1 in 2000
        assertThat(Long.parseLong(process.answer("turn"))).isGreaterThanOrEqualTo(turn - 5000);
      }
      // nobody's time was wasted: as if those who left had never come
      assertThat(previous).isEqualTo(start + (left.size() - 1) * interval);
      soon(() -> keys().isEmpty());
    }
  }

  private void cancel(Place place, List<Place> left) {
    LimitProcess process = processOf(place);
    process.order("cancel " + place.ticket());
    assertThat(process.answer("cancelled")).isEqualTo("true");
    left.remove(place);
  }

  private LimitProcess processOf(Place place) {
    return processes.stream()
        .filter(process -> process.client().equals(place.client()))
        .findFirst()
        .orElseThrow();
  }

  /** A place that was given up is closed once everybody behind it has moved up, one by one. */
  private Map<Place, Long> awaitOrder(List<Place> order, long interval) {
    AtomicReference<Map<Place, Long>> seen = new AtomicReference<>();
    soon(
        () -> {
          seen.set(turns());
          return List.copyOf(seen.get().keySet()).equals(order) && isSpaced(seen.get(), interval);
        });
    return seen.get();
  }

  private static void soon(Callable<Boolean> condition) {
    await()
        .atMost(AGES)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .until(condition);
  }

  private static boolean isSpaced(Map<Place, Long> turns, long interval) {
    long previous = -1;
    for (long turn : turns.values()) {
      if (previous >= 0 && turn - previous != interval) {
        return false;
      }
      previous = turn;
    }
    return true;
  }

  private static void assertSpaced(Map<Place, Long> turns, long interval) {
    assertThat(isSpaced(turns, interval)).as("%s", turns).isTrue();
  }

  /** Turns that have not come, in order. */
  private Map<Place, Long> turns() {
    Map<Place, Long> turns = new LinkedHashMap<>();
    List<?> found =
        (List<?>)
            server.call(
                "ZRANGE", "sl:{queue:" + LimitWorker.KEY + "}:turns", "0", "-1", "WITHSCORES");
    for (int i = 0; i < found.size(); i += 2) {
      String[] words = found.get(i).toString().split(" ");
      turns.put(
          new Place(words[0], Long.parseLong(words[1])),
          Long.parseLong(found.get(i + 1).toString()));
    }
    return turns;
  }

  private List<String> keys() {
    return ((List<?>) server.call("KEYS", "sl:*")).stream().map(Object::toString).toList();
  }

  private List<String> keysWithoutExpiry() {
    return keys().stream().filter(key -> server.call("PTTL", key).equals(-1L)).toList();
  }
}
