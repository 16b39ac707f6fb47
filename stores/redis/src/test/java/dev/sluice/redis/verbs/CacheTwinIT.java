package dev.sluice.redis.verbs;

import static dev.sluice.redis.verbs.VirtualRedis.join;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.keys.CacheKeys;
import dev.sluice.redis.keys.CallKeys;
import dev.sluice.redis.keys.KeySpace;
import dev.sluice.redis.keys.StoredValue;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.CacheBackend;
import dev.sluice.spi.CacheEntry;
import dev.sluice.spi.CacheKey;
import dev.sluice.spi.CacheReply;
import dev.sluice.spi.CacheRequest;
import dev.sluice.spi.CacheRequest.Aim;
import dev.sluice.spi.CacheValue;
import dev.sluice.state.CacheState;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The scripts of caches and {@link CacheState} decide alike: every reply, every message and, after
 * each step, the stored value of the same random histories must be equal.
 */
@EachRedis
class CacheTwinIT {
  private static final long SEED = Long.getLong("sluice.twin.seed", 1);
  private static final int STEPS = 250;
  private static final int HISTORIES = Integer.getInteger("sluice.twin.steps", 25_000) / STEPS;
  private static final long EPOCH = 1_795_201_234_567_890L;
  private static final long HOUR = 3_600_000_000L;
  private static final long[] SPANS = {1, 7, 1000, 50_000, 1_000_000, 30_000_000, HOUR};
  private static final long NO_KEY = -2;
  private static final long MAX_TEST_MILLIS = 60_000;
  private static final String THE_END = "the end";

  private final RedisServer server;
  private final Set<String> reached = new TreeSet<>();

  CacheTwinIT(RedisServer server) {
    this.server = server;
  }

  private enum Verb {
    LOAD,
    REFRESH,
    KEEP,
    FILL,
    ABANDON,
    INTEND,
    INVALIDATE,
    PUT,
    LOSE
  }

  private record Step(
      long now, Verb verb, String client, long attempt, long micros, CacheValue value) {}

  private record History(CacheKey key, List<String> clients, List<Step> steps) {}

  private record Delivery(String client, CacheKey key) {}

  /** The model, and what a guard is there for. */
  private static final class Model extends CacheState {
    boolean guarded(long now) {
      return lease != null || intended(now) > now || !waiters.isEmpty();
    }

    long guardedUntil(long now) {
      long last = lease == null ? now : Math.max(now, leaseUntil);
      return intents.values().stream().mapToLong(Long::longValue).reduce(last, Math::max);
    }
  }

  @Test
  void everyReplyEveryMessageAndEveryValueIsTheSame() {
    assertThat(difference(UnaryOperator.identity())).isEmpty();
    assertThat(reached)
        .contains("hit", "granted", "busy", "intended", "granted beside a stale value")
        .contains("KEEP true", "KEEP false", "FILL true", "FILL false", "ABANDON")
        .contains("INTEND true", "INTEND false", "INVALIDATE", "PUT", "LOSE")
        .contains("fresh", "stale", "absent", "nothing", "message");
  }

  @Test
  void catchesALeaseGivenTwice() {
    assertCaught("if lease and now < lease_until and lease ~= owner then", "if false then");
  }

  @Test
  void catchesALeaseGivenWhileAWriteIsAnnounced() {
    assertCaught("if till > now then", "if false then");
  }

  @Test
  void catchesAHitOnAStaleValue() {
    assertCaught("struct.unpack('>I7', head, 13) > now", "struct.unpack('>I7', head, 20) > now");
  }

  @Test
  void catchesAWaiterThatIsForgotten() {
    assertCaught("waiters[#waiters + 1] = ARGV[1]", "waiters = { ARGV[1] }");
  }

  @Test
  void catchesALeaseThatIsShortened() {
    assertCaught("math.max(lease_until, now + ARGV[3])", "now + ARGV[3]");
  }

  @Test
  void catchesAFillWithoutTheLease() {
    assertCaught("if not held() then\n  discard()\n  return { 0, now }\nend", "");
  }

  @Test
  void catchesAFillByALeaseThatHasEnded() {
    assertCaught("lease == owner and now < lease_until", "lease == owner");
  }

  @Test
  void catchesALeaseThatIsAbandonedByOthers() {
    assertCaught("if lease ~= owner then", "if false then");
  }

  @Test
  void catchesAnAnnouncementThatLeavesTheLeaseAlive() {
    assertCaught("intended()\nend_lease()", "intended()");
  }

  @Test
  void catchesAnAnnouncementThatNeverEnds() {
    assertCaught(
        "if till <= now then\n      intents[whose] = nil\n    end",
        "till = math.max(till, now + 1)");
  }

  @Test
  void catchesAnInvalidationThatLeavesTheLeaseAlive() {
    assertCaught("intents[owner] = nil\nend_lease()", "intents[owner] = nil");
  }

  @Test
  void catchesAnInvalidationThatLeavesTheValue() {
    assertCaught("drop()\nintents[owner] = nil", "intents[owner] = nil");
  }

  @Test
  void catchesAnInvalidationThatEndsTheAnnouncementsOfOthers() {
    assertCaught("intents[owner] = nil", "intents = {}");
  }

  @Test
  void catchesAPutWhileAWriteIsAnnounced() {
    assertCaught("if intended() > now then", "if false then");
  }

  @Test
  void catchesOneWhoIsNotTold() {
    assertCaught("for _, client in ipairs(woken) do", "for _, client in ipairs({}) do");
  }

  @Test
  void catchesAGuardThatGoesTooEarly() {
    assertCaught("math.ceil((last - now) / 1000) + MARGIN", "MARGIN");
  }

  @Test
  void catchesAValueThatGoesTooEarly() {
    assertCaught("math.ceil((fresh + stale) / 1000)", "math.ceil(fresh / 1000)");
  }

  @Test
  void catchesAVersionOfTagsThatDoesNotGrow() {
    UnaryOperator<String> fault =
        text -> text.replace("math.max(now, version and version + 1 or 0)", "now");
    assertThat(VirtualRedis.changes(fault)).as("the fault was planted").isTrue();
    assertThat(versionsGrow(fault)).isFalse();
    assertThat(versionsGrow(UnaryOperator.identity())).isTrue();
  }

  private boolean versionsGrow(UnaryOperator<String> fault) {
    try (VirtualRedis redis = new VirtualRedis(server, fault)) {
      CacheBackend caches = redis.backend.caches();
      SplittableRandom random = new SplittableRandom(SEED);
      long now = EPOCH;
      long version = 0;
      Map<String, Long> dropped = new HashMap<>();
      for (int i = 0; i < 200; i++) {
        now += random.nextInt(10) == 0 ? -random.nextInt(1000) : random.nextInt(3);
        redis.at(now);
        String tag = "t" + random.nextInt(3);
        join(caches.invalidateTag("c", tag, HOUR));
        version = Math.max(version + 1, now);
        dropped.put(tag, version);
        if (join(caches.tagVersion("c")) != version
            || !dropped.get(tag).equals(join(caches.invalidatedAt("c", List.of(tag, "t9"))))) {
          return false;
        }
        for (String one : dropped.keySet()) {
          if (!dropped.get(one).equals(join(caches.invalidatedAt("c", List.of(one))))) {
            return false;
          }
        }
      }
      return true;
    }
  }

  private void assertCaught(String text, String instead) {
    UnaryOperator<String> fault = script -> script.replace(text, instead);
    assertThat(VirtualRedis.changes(fault)).as("the fault was planted").isTrue();
    assertThat(difference(fault))
        .hasValueSatisfying(story -> assertThat(story).doesNotContain("Exception"));
  }

  private Optional<String> difference(UnaryOperator<String> fault) {
    try (VirtualRedis redis = new VirtualRedis(server, fault)) {
      for (int i = 0; i < HISTORIES; i++) {
        Optional<String> difference = difference(redis, history(SEED + i));
        if (difference.isPresent()) {
          return difference;
        }
      }
      return Optional.empty();
    }
  }

  private static History history(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    String name = "h{" + seed + ":}";
    List<String> clients = List.of("a" + seed, "b" + seed, "c" + seed);
    List<Step> steps = new ArrayList<>();
    long now = EPOCH;
    long span = 1000;
    String client = clients.get(0);
    long attempt = 1;
    for (int i = 0; i < STEPS; i++) {
      now += nextTime(random, span);
      if (random.nextInt(100) < 60) { // otherwise who did the last thing goes on
        client = clients.get(random.nextInt(clients.size()));
        attempt = 1 + random.nextInt(3);
      }
      span = SPANS[random.nextInt(SPANS.length)];
      steps.add(new Step(now, verb(random), client, attempt, span, value(random, i, span)));
    }
    return new History(new CacheKey(name, "k:" + seed + "%"), clients, steps);
  }

  private static Verb verb(SplittableRandom random) {
    int percent = random.nextInt(1000);
    return percent < 350
        ? Verb.LOAD
        : percent < 400
            ? Verb.REFRESH
            : percent < 480
                ? Verb.KEEP
                : percent < 720
                    ? Verb.FILL
                    : percent < 780
                        ? Verb.ABANDON
                        : percent < 850
                            ? Verb.INTEND
                            : percent < 950
                                ? Verb.INVALIDATE
                                : percent < 990 ? Verb.PUT : Verb.LOSE;
  }

  private static long nextTime(SplittableRandom random, long span) {
    int percent = random.nextInt(100);
    if (percent < 40) {
      return random.nextInt(2);
    }
    if (percent < 70) {
      return random.nextLong(span + 2);
    }
    return percent < 95 ? Math.max(0, span + random.nextInt(3) - 1) : random.nextLong(HOUR);
  }

  private static CacheValue value(SplittableRandom random, int number, long span) {
    byte[] bytes = random.nextInt(5) == 0 ? null : new byte[random.nextInt(100)];
    if (bytes != null) {
      random.nextBytes(bytes);
    }
    span = random.nextInt(10) == 0 ? 0 : span;
    long stale = random.nextBoolean() ? 0 : SPANS[random.nextInt(SPANS.length)];
    return random.nextInt(3) > 0
        ? new CacheValue(bytes, span, stale)
        : new CacheValue(bytes, span, stale, List.of("t" + number, "\u00fc{}"), EPOCH + number);
  }

  private record Asked(
      CompletionStage<?> reply,
      CompletionStage<String> value,
      CompletionStage<Long> valueLeft,
      CompletionStage<Long> guardLeft) {}

  private Optional<String> difference(VirtualRedis redis, History history) {
    CacheBackend caches = redis.backend.caches();
    CallKeys keys = new CacheKeys(KeySpace.PLAIN).of(history.key).both();
    BlockingQueue<Delivery> received = new LinkedBlockingQueue<>();
    for (String client : history.clients) {
      join(caches.listenForLoads(client, key -> received.add(new Delivery(client, key))));
    }
    List<Asked> asked = new ArrayList<>();
    for (Step step : history.steps) { // all in flight at once; the server keeps the order
      redis.at(step.now);
      asked.add(
          new Asked(
              ask(redis, caches, history.key, step),
              redis.get(keys.key(1)),
              redis.pttl(keys.key(1)),
              redis.pttl(keys.key(2))));
    }
    List<Delivery> expectedDeliveries = new ArrayList<>();
    Model model = new Model();
    Optional<String> difference = Optional.empty();
    for (int i = 0; i < asked.size() && difference.isEmpty(); i++) {
      Step step = history.steps.get(i);
      boolean stale = model.read(step.now) != null;
      List<String> woken = new ArrayList<>();
      Object expected = decide(model, history.key, step, woken);
      woken.forEach(client -> expectedDeliveries.add(new Delivery(client, history.key)));
      if (step.verb == Verb.LOSE) {
        model = new Model();
      }
      note(step, expected, stale, woken);
      Object actual = outcome(asked.get(i).reply);
      if (!same(expected, actual)) {
        difference = Optional.of(story(history, i, expected, actual));
        continue;
      }
      CacheEntry entry = model.read(step.now);
      CacheEntry stored = entry(join(asked.get(i).value), step.now);
      reached.add(
          entry == null
              ? "nothing"
              : entry.bytes() == null ? "absent" : entry.isFresh() ? "fresh" : "stale");
      if (!same(entry, stored)) {
        difference = Optional.of(story(history, i, entry, stored));
        continue;
      }
      long valueLeft = join(asked.get(i).valueLeft);
      long guardLeft = join(asked.get(i).guardLeft);
      if (!expiresInTime(model, entry, step, expected, valueLeft, guardLeft)) {
        difference =
            Optional.of(
                story(
                    history,
                    i,
                    "a guard: " + model.guarded(step.now) + ", and expiries to go with it",
                    "value " + valueLeft + ", guard " + guardLeft));
      }
    }
    join(asked.get(asked.size() - 1).reply);
    redis.publish("sl:inbox:" + history.clients.get(0), "load h:" + THE_END);
    List<Delivery> deliveries = untilTheEnd(received);
    history.clients.forEach(caches::unlistenForLoads);
    return difference.isEmpty() && !deliveries.equals(expectedDeliveries)
        ? Optional.of(
            history.key
                + ": expected deliveries\n"
                + expectedDeliveries
                + "\nbut got\n"
                + deliveries)
        : difference;
  }

  private static CompletionStage<?> ask(
      VirtualRedis redis, CacheBackend caches, CacheKey key, Step step) {
    return switch (step.verb) {
      case LOAD -> caches.begin(request(key, step, Aim.LOAD));
      case REFRESH -> caches.begin(request(key, step, Aim.REFRESH));
      case KEEP -> caches.keep(key, step.client, step.attempt, step.micros);
      case FILL -> caches.fill(key, step.client, step.attempt, step.value);
      case ABANDON -> caches.abandon(key, step.client, step.attempt).thenApply(any -> true);
      case INTEND -> caches.intend(key, step.client, step.attempt, step.micros);
      case INVALIDATE -> caches.invalidate(key, step.client, step.attempt).thenApply(any -> true);
      case PUT -> caches.put(key, step.value).thenApply(any -> true);
      case LOSE -> {
        CallKeys keys = new CacheKeys(KeySpace.PLAIN).of(key).both();
        yield redis.delete(List.of(keys.key(1), keys.key(2))).thenApply(count -> true);
      }
    };
  }

  private static CacheRequest request(CacheKey key, Step step, Aim aim) {
    return new CacheRequest(key, step.client, step.attempt, step.micros, aim);
  }

  private static Object decide(Model model, CacheKey key, Step step, List<String> woken) {
    switch (step.verb) {
      case LOAD -> {
        return model.begin(step.now, request(key, step, Aim.LOAD));
      }
      case REFRESH -> {
        return model.begin(step.now, request(key, step, Aim.REFRESH));
      }
      case KEEP -> {
        return model.keep(step.now, step.client, step.attempt, step.micros);
      }
      case FILL -> {
        return model.fill(step.now, step.client, step.attempt, step.value, woken);
      }
      case INTEND -> {
        return model.intend(step.now, step.client, step.attempt, step.micros, woken);
      }
      case ABANDON -> model.abandon(step.now, step.client, step.attempt, woken);
      case INVALIDATE -> model.invalidate(step.now, step.client, step.attempt, woken);
      case PUT -> model.put(step.now, step.value, woken);
      case LOSE -> {}
    }
    return true;
  }

  private void note(Step step, Object reply, boolean stale, List<String> woken) {
    switch (step.verb) {
      case LOAD, REFRESH ->
          reached.add(
              reply instanceof CacheReply.Hit
                  ? "hit"
                  : reply instanceof CacheReply.Busy
                      ? "busy"
                      : reply instanceof CacheReply.Intended
                          ? "intended"
                          : stale ? "granted beside a stale value" : "granted");
      case KEEP, FILL, INTEND -> reached.add(step.verb + " " + reply);
      default -> reached.add(step.verb.name());
    }
    if (!woken.isEmpty()) {
      reached.add("message");
    }
  }

  private static boolean expiresInTime(
      Model model,
      @Nullable CacheEntry entry,
      Step step,
      Object expected,
      long valueLeft,
      long guardLeft) {
    boolean filled = step.verb == Verb.FILL && Boolean.TRUE.equals(expected);
    boolean value = entry == null || valueLeft > 0;
    if (entry != null
        && entry.bytes() != null
        && entry.bytes() == step.value.bytes()) { // written by this step
      value = goesAround(valueLeft, step.value.ttlMicros() + step.value.staleMicros());
    }
    boolean immortal = valueLeft == -1 || guardLeft == -1;
    boolean guard =
        model.guarded(step.now)
            ? goesNotBefore(guardLeft, model.guardedUntil(step.now) - step.now)
            : guardLeft == NO_KEY || !filled;
    return value && guard && !immortal;
  }

  private static boolean goesNotBefore(long millis, long micros) {
    return millis > (micros + 999) / 1000 + VirtualRedis.MARGIN_MILLIS - MAX_TEST_MILLIS;
  }

  private static boolean goesAround(long millis, long micros) {
    return goesNotBefore(millis, micros)
        && millis <= (micros + 999) / 1000 + VirtualRedis.MARGIN_MILLIS;
  }

  private static @Nullable CacheEntry entry(@Nullable String latin, long now) {
    if (latin == null) {
      return null;
    }
    byte[] bytes = latin.getBytes(StandardCharsets.ISO_8859_1);
    StoredValue stored = (StoredValue) StoredValue.parse(ByteBuffer.wrap(bytes));
    return stored == null ? null : stored.at(now);
  }

  /** Values are compared by what they are made of. */
  private static boolean same(@Nullable Object one, @Nullable Object other) {
    return text(one).equals(text(other));
  }

  private static String text(@Nullable Object reply) {
    if (reply instanceof CacheReply.Hit hit) {
      return "hit " + text(hit.entry());
    }
    if (reply instanceof CacheEntry entry) {
      byte[] bytes = entry.bytes();
      return (bytes == null ? "absent" : new String(bytes, StandardCharsets.ISO_8859_1))
          + " left "
          + entry.leftMicros()
          + " tags "
          + entry.tags()
          + " at "
          + entry.tagVersion();
    }
    return String.valueOf(reply);
  }

  private static List<Delivery> untilTheEnd(BlockingQueue<Delivery> received) {
    List<Delivery> deliveries = new ArrayList<>();
    while (true) {
      try {
        Delivery next = received.poll(20, TimeUnit.SECONDS);
        assertThat(next).as("the last message").isNotNull();
        if (next.key.key().equals(THE_END)) {
          return deliveries;
        }
        deliveries.add(next);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static Object outcome(CompletionStage<?> stage) {
    try {
      return join(stage);
    } catch (CompletionException e) {
      return e.getCause().toString();
    }
  }

  private static String story(
      History history, int last, @Nullable Object expected, @Nullable Object actual) {
    StringBuilder text = new StringBuilder(history.key.toString()).append(":\n");
    for (int i = Math.max(0, last - 12); i <= last; i++) {
      Step step = history.steps.get(i);
      text.append(i).append(' ').append(step.now - EPOCH).append(' ').append(step.verb);
      text.append(' ').append(step.client).append(' ').append(step.attempt).append(' ');
      text.append(step.micros).append(" stale ").append(step.value.staleMicros()).append('\n');
    }
    return text + "expected " + text(expected) + "\nbut got  " + text(actual);
  }
}
