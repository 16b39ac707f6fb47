package dev.sluice.redis;

import static dev.sluice.redis.VirtualRedis.join;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.limit.Limit.Algorithm;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.LimitRequest.Verb;
import dev.sluice.spi.LimitRule;
import dev.sluice.spi.LimitState;
import dev.sluice.testkit.EachRedis;
import dev.sluice.testkit.RedisServer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The scripts of limits and {@link LimitState} decide alike: the same random histories go to both,
 * under the same virtual time, and every reply and all stored bytes must be equal. Of a log the
 * bytes may differ, but not what they say.
 */
@EachRedis
class LimitTwinTest {
  /** Histories start at this seed; a failure prints its own. */
  private static final long SEED = Long.getLong("sluice.twin.seed", 1);

  private static final int STEPS = 250;

  /** For each algorithm. */
  private static final int HISTORIES = Integer.getInteger("sluice.twin.steps", 25_000) / STEPS;

  private static final byte LOG = 3;

  private final RedisServer server;
  private final Set<String> reached = new TreeSet<>();

  LimitTwinTest(RedisServer server) {
    this.server = server;
  }

  @Test
  void tokenBucketsAreTheSame() {
    assertSame(Algorithm.TOKEN_BUCKET);
  }

  @Test
  void fixedWindowsAreTheSame() {
    assertSame(Algorithm.FIXED_WINDOW);
  }

  @Test
  void slidingLogsAreTheSame() {
    assertSame(Algorithm.SLIDING_LOG);
  }

  @Test
  void slidingWindowsAreTheSame() {
    assertSame(Algorithm.SLIDING_WINDOW);
  }

  @Test
  void expiringWindowsAreTheSame() {
    assertSame(Algorithm.EXPIRING_WINDOW);
  }

  private void assertSame(Algorithm algorithm) {
    long from = System.nanoTime();
    assertThat(difference(UnaryOperator.identity(), algorithm)).isEmpty();
    System.out.printf("%s %d ms %s%n", algorithm, (System.nanoTime() - from) / 1_000_000, reached);
  }

  /** The first difference between the twins, or none. */
  private Optional<String> difference(UnaryOperator<String> fault, Algorithm algorithm) {
    try (VirtualRedis redis = new VirtualRedis(server, fault)) {
      for (int i = 0; i < HISTORIES; i++) {
        LimitHistory history = LimitHistory.of(SEED + i, STEPS, algorithm);
        Optional<String> difference = difference(redis, history);
        if (difference.isPresent()) {
          return difference;
        }
      }
      return Optional.empty();
    }
  }

  private record Asked(CompletionStage<LimitReply> reply, List<CompletionStage<String>> stored) {}

  private Optional<String> difference(VirtualRedis redis, LimitHistory history) {
    CallKeys keys = LimitKeys.tiers(history.name(), "k", history.rules());
    List<String> names = new ArrayList<>();
    for (int i = 1; i <= keys.count; i++) {
      names.add(keys.key(i));
    }
    List<Asked> asked = new ArrayList<>();
    for (LimitHistory.Step step :
        history.steps()) { // in flight at once; the server keeps the order
      redis.at(step.now());
      if (step.loss()) {
        redis.delete(names);
      }
      CompletionStage<LimitReply> reply = redis.backend.limits().decide(step.request());
      asked.add(new Asked(reply, names.stream().map(redis::get).toList()));
    }
    LimitState.Cell[] cells = new LimitState.Cell[names.size()];
    for (int i = 0; i < asked.size(); i++) {
      LimitHistory.Step step = history.steps().get(i);
      if (i == 0 || step.loss()) {
        Arrays.setAll(cells, c -> new LimitState.Cell());
      }
      LimitReply expected = LimitState.decide(step.now(), step.request(), cells);
      Object actual = outcome(asked.get(i).reply);
      if (!expected.equals(actual)) {
        return Optional.of(story(history, i, expected, actual));
      }
      for (int c = 0; c < cells.length; c++) {
        byte[] mine = cells[c].bytes;
        byte[] theirs = bytes(join(asked.get(i).stored.get(c)));
        if (mine != null && mine[0] == LOG && theirs != null) {
          LimitRule rule = step.request().rules().get(c);
          mine = inOneForm(step.now(), rule, mine);
          theirs = inOneForm(step.now(), rule, theirs);
        }
        if (!Arrays.equals(mine, theirs)) {
          return Optional.of(story(history, i, hex(mine), hex(theirs)));
        }
      }
    }
    return Optional.empty();
  }

  /** A log as the Java twin writes it. */
  private static byte @Nullable [] inOneForm(long now, LimitRule rule, byte[] log) {
    LimitState.Cell cell = new LimitState.Cell();
    cell.bytes = log;
    LimitRequest nothing = new LimitRequest(Verb.GIVE_BACK, "l", "k", List.of(rule), 0, 1, 0, 0);
    LimitState.decide(now, nothing, new LimitState.Cell[] {cell});
    return cell.bytes;
  }

  private static byte @Nullable [] bytes(@Nullable String latin) {
    return latin == null ? null : latin.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static String hex(byte @Nullable [] bytes) {
    return bytes == null ? "nothing" : HexFormat.of().formatHex(bytes);
  }

  private static Object outcome(CompletionStage<?> stage) {
    try {
      return join(stage);
    } catch (CompletionException e) {
      return e.getCause().toString();
    }
  }

  private static String story(LimitHistory history, int last, Object expected, Object actual) {
    StringBuilder text = new StringBuilder(history.name()).append(":\n");
    for (int i = Math.max(0, last - 12); i <= last; i++) {
      text.append(i).append(' ').append(history.steps().get(i)).append('\n');
    }
    return text + "expected " + expected + "\nbut got  " + actual;
  }
}
