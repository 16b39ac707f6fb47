package dev.sluice.redis.verbs;

import static dev.sluice.redis.verbs.VirtualRedis.join;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.limit.ThrottleReply;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.ThrottleRequest;
import dev.sluice.state.ThrottleState;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** CL.THROTTLE on Redis: the vectors, and the same answers as {@link ThrottleState} ever after. */
@EachRedis
class ThrottleTwinIT {
  private static final long SEED = Long.getLong("sluice.twin.seed", 1);
  private static final int STEPS = 250;
  private static final int HISTORIES = Integer.getInteger("sluice.twin.steps", 25_000) / STEPS;
  private static final long EPOCH = 1_767_225_600_000_000L;
  private static final long HOUR = 3_600_000_000L;
  private static final long DAY = 24 * HOUR;
  private static final long NO_KEY = -2;
  private static final long MAX_TEST_MILLIS = 60_000;

  private final RedisServer server;
  private final Set<String> reached = new TreeSet<>();

  ThrottleTwinIT(RedisServer server) {
    this.server = server;
  }

  private record Step(long now, ThrottleRequest request, boolean loss) {}

  @Test
  void answersEveryVector() throws IOException {
    List<String> lines;
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(
                Objects.requireNonNull(getClass().getResourceAsStream("cl-throttle.csv")),
                StandardCharsets.UTF_8))) {
      lines = in.lines().skip(1).toList();
    }
    assertThat(lines).hasSizeGreaterThan(50);
    try (VirtualRedis redis = new VirtualRedis(server, UnaryOperator.identity())) {
      for (String line : lines) {
        String[] f = line.split(",");
        redis.at(EPOCH + new BigDecimal(f[6]).movePointRight(6).longValueExact());
        ThrottleRequest request =
            ThrottleRequest.of(number(f[2]), number(f[3]), number(f[4]), number(f[5]));
        assertThat(join(redis.backend.limits().throttle(f[1], request)))
            .as(line)
            .isEqualTo(
                new ThrottleReply(
                    (int) number(f[7]), number(f[8]), number(f[9]), number(f[10]), number(f[11])));
      }
    }
  }

  private static long number(String text) {
    return Long.parseLong(text);
  }

  @Test
  void everyReplyAndEveryStoredTextIsTheSame() {
    assertThat(difference(UnaryOperator.identity())).isEmpty();
    assertThat(reached)
        .contains("allowed", "limited", "never", "looked", "given back", "full again")
        .contains("far ahead", "kept with a rest");
  }

  @Test
  void catchesATimeThatIsNotWrittenBack() {
    assertCaught("redis.call('SET', KEYS[1], text,", "local lost = type(text,");
  }

  @Test
  void catchesARefusalThatIsRecorded() {
    assertCaught("if not limited and quantity ~= 0 then", "if quantity ~= 0 then");
  }

  @Test
  void catchesARestThatIsDropped() {
    assertCaught("    rest = r\n", "");
    assertCaught("arrival = arrival + 1", "rest = r");
  }

  @Test
  void catchesATimeThatIsRoundedDown() {
    assertCaught("ceil(wait / 1e6)", "floor(wait / 1e6)");
    assertCaught("ceil(reset / 1e6)", "floor(reset / 1e6)");
  }

  @Test
  void catchesAnExpiryThatIsTooShort() {
    assertCaught("ceil(reset / 1000) + MARGIN", "MARGIN");
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
        Optional<String> difference = difference(redis, "h" + (SEED + i), history(SEED + i));
        if (difference.isPresent()) {
          return difference;
        }
      }
      return Optional.empty();
    }
  }

  private static List<Step> history(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<ThrottleRequest> policies = new ArrayList<>();
    for (int i = 0; i < 1 + random.nextInt(3); i++) {
      policies.add(request(random));
    }
    List<Step> steps = new ArrayList<>();
    long now = EPOCH;
    for (int i = 0; i < STEPS; i++) {
      ThrottleRequest rate = policies.get(random.nextInt(3) > 0 ? 0 : policies.size() - 1);
      long interval = Math.min(DAY, 1 + rate.step() / rate.scale());
      int percent = random.nextInt(100);
      now +=
          percent < 30
              ? random.nextInt(3)
              : percent < 70
                  ? random.nextLong(3 * interval)
                  : percent < 92
                      ? Math.max(0, interval * random.nextInt(6) + random.nextInt(3) - 1)
                      : percent < 96 ? random.nextLong(HOUR) : -random.nextLong(2 * HOUR);
      long quantity = quantity(random, rate.limit());
      steps.add(
          new Step(
              now,
              new ThrottleRequest(rate.limit(), rate.scale(), rate.step(), quantity),
              random.nextInt(200) == 0));
    }
    return steps;
  }

  private static ThrottleRequest request(SplittableRandom random) {
    while (true) {
      long[] counts = {1, 3, 7, 30, 100, 999_983, 1_000_000, 1L << 40};
      long[] periods = {1, 3, 60, 3600, 86_400, 31_536_000, 1L << 32};
      long burst = random.nextInt(8) == 0 ? -1 : (long) Math.exp(random.nextDouble() * 35) - 1;
      try {
        return ThrottleRequest.of(
            burst, counts[random.nextInt(counts.length)], periods[random.nextInt(7)], 1);
      } catch (IllegalArgumentException e) {
        // these numbers do not go together
      }
    }
  }

  private static long quantity(SplittableRandom random, long limit) {
    int percent = random.nextInt(100);
    if (percent < 60) {
      return 1;
    }
    if (percent < 80) {
      return random.nextLong(limit + 2);
    }
    return percent < 90 ? 0 : percent < 98 ? -1 - random.nextLong(limit + 1) : -(1L << 52);
  }

  private Optional<String> difference(VirtualRedis redis, String key, List<Step> steps) {
    String stored = "sl:{" + key + "}:throttle";
    List<CompletionStage<ThrottleReply>> replies = new ArrayList<>();
    List<CompletionStage<String>> texts = new ArrayList<>();
    List<CompletionStage<Long>> left = new ArrayList<>();
    for (Step step : steps) { // all in flight at once; the server keeps the order
      redis.at(step.now);
      if (step.loss) {
        redis.delete(List.of(stored));
      }
      replies.add(redis.backend.limits().throttle(key, step.request));
      texts.add(redis.get(stored));
      left.add(redis.pttl(stored));
    }
    String text = null;
    for (int i = 0; i < steps.size(); i++) {
      Step step = steps.get(i);
      ThrottleState.Step expected =
          ThrottleState.decide(step.now, step.loss ? null : text, step.request);
      boolean written = expected.reply().limited() == 0 && step.request.quantity() != 0;
      text = expected.stored();
      note(step, expected);
      Object reply = outcome(replies.get(i));
      String kept = join(texts.get(i));
      long pttl = join(left.get(i));
      if (!expected.reply().equals(reply)
          || !Objects.equals(text, kept)
          || !expires(pttl, text, written, expected.expiresAt() - step.now)) {
        return Optional.of(
            key
                + " "
                + i
                + " "
                + step
                + "\nexpected "
                + expected
                + "\nbut got  "
                + reply
                + " "
                + kept
                + ", expiry "
                + pttl);
      }
    }
    return Optional.empty();
  }

  private static boolean expires(long pttl, @Nullable String text, boolean written, long micros) {
    if (text == null) {
      return pttl == NO_KEY;
    }
    long most = (micros + 999) / 1000 + VirtualRedis.MARGIN_MILLIS;
    return written ? pttl <= most && pttl > most - MAX_TEST_MILLIS : pttl > 0;
  }

  private void note(Step step, ThrottleState.Step answer) {
    ThrottleReply reply = answer.reply();
    reached.add(reply.limited() == 0 ? "allowed" : reply.retryAfter() < 0 ? "never" : "limited");
    if (step.request.quantity() <= 0) {
      reached.add(step.request.quantity() == 0 ? "looked" : "given back");
    }
    if (answer.stored() == null && step.request.quantity() < 0) {
      reached.add("full again");
    }
    if (answer.stored() != null && answer.stored().indexOf('/') > 0) {
      reached.add("kept with a rest");
    }
    if (answer.expiresAt() - step.now > 1000 * HOUR) {
      reached.add("far ahead");
    }
  }

  private static Object outcome(CompletionStage<?> stage) {
    try {
      return join(stage);
    } catch (CompletionException e) {
      return e.getCause().toString();
    }
  }
}
