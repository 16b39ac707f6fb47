package dev.sluice.redis.verbs;

import static dev.sluice.redis.verbs.VirtualRedis.join;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.limit.Limit.Algorithm;
import dev.sluice.limit.Settlement;
import dev.sluice.redis.keys.CallKeys;
import dev.sluice.redis.keys.KeySpace;
import dev.sluice.redis.keys.LimitKeys;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.LimitRequest.Verb;
import dev.sluice.spi.LimitRule;
import dev.sluice.spi.SettleRequest;
import dev.sluice.state.LimitState;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
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
class LimitTwinIT {
  /** Histories start at this seed; a failure prints its own. */
  private static final long SEED = Long.getLong("sluice.twin.seed", 1);

  private static final int STEPS = 250;

  /** For each algorithm. */
  private static final int HISTORIES = Integer.getInteger("sluice.twin.steps", 25_000) / STEPS;

  private static final byte LOG = 3;
  private static final long NO_KEY = -2;
  private static final long MAX_TEST_MILLIS = 60_000;

  private final RedisServer server;
  private final Set<String> reached = new TreeSet<>();

  LimitTwinIT(RedisServer server) {
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

  @Test
  void catchesACountThatIsNotWrittenBack() {
    assertCaught(Algorithm.GCRA, "redis.call('SET', KEYS[1], arrival,", "local lost = type(");
    assertCaught(Algorithm.FIXED_WINDOW, "meter.of.save(meter, KEYS[i], full)", "");
  }

  @Test
  void catchesARefusalThatIsRecorded() {
    assertCaught(
        Algorithm.SLIDING_LOG,
        "if verb == TAKE then",
        "if verb == TAKE then granted = max(1, granted)");
    assertCaught(Algorithm.GCRA, "level = level + granted * weight", "level = level + weight");
  }

  @Test
  void catchesATierThatIsSpentThoughAnotherRefuses() {
    assertCaught(
        Algorithm.FIXED_WINDOW,
        "if verb == TAKE then",
        "if granted == 0 and verb == TAKE and wait_in(1) == 0 then"
            + " meters[1].of.spend(meters[1], 0, costs[1]) changed = true end"
            + " if verb == TAKE then");
  }

  @Test
  void catchesAClockThatIsNotTheServers() {
    assertCaught(
        Algorithm.GCRA,
        "clock[1] * 1000000 + clock[2]",
        "clock[1] * 1000000 + clock[2] + tonumber(ARGV[2]) % 2");
  }

  @Test
  void catchesALevelThatIsNotClamped() {
    assertCaught(Algorithm.GCRA, "m.level, m.steps = full, 1", "m.level, m.steps = full + 1, 1");
    assertCaught(Algorithm.GCRA, "m.level, m.steps = full, 1", "m.level = full");
    assertCaught(Algorithm.EXPIRING_WINDOW, "or stamp - now)", "or 0)");
    assertCaught(Algorithm.SLIDING_WINDOW, "if stamp > now then", "if false then");
    assertCaught(Algorithm.SLIDING_LOG, "m.shift + max(0, stamp - now)", "m.shift");
  }

  @Test
  void catchesANumberThatIsConcatenated() {
    assertCaught(Algorithm.GCRA, "'%d%016.0f', rest, arrival)", "'%.0f', rest * 1e16 + arrival)");
  }

  @Test
  void catchesACarryOverThatIsForgotten() {
    assertCaught(Algorithm.GCRA, "and KEEP or rule.carry", "and KEEP or KEEP");
    assertCaught(
        Algorithm.FIXED_WINDOW, "round(count / from.capacity", "ceil(count / from.capacity");
    assertCaught(
        Algorithm.SLIDING_WINDOW, "raised and not (bucket and", "false and not (bucket and");
  }

  @Test
  void catchesPermitsThatComeBackToACountThatNeverHadThem() {
    assertCaught(Algorithm.SLIDING_LOG, "meter.born * 1000 <= taken + early and", "");
    assertCaught(Algorithm.SLIDING_LOG, "not meter.converted and", "");
    assertCaught(Algorithm.FIXED_WINDOW, "meter.rule.version == rules[i].version and", "");
    assertCaught(Algorithm.FIXED_WINDOW, "min(since, born)", "since");
  }

  @Test
  void catchesAPromiseBeyondTheHorizon() {
    assertCaught(Algorithm.GCRA, "wait > horizon(meter.rule) or ", "");
  }

  @Test
  void catchesAnExpiryThatIsTooShort() {
    assertCaught(Algorithm.GCRA, "(reset + -reset % 1000) / 1000 + MARGIN", "MARGIN");
    assertCaught(Algorithm.SLIDING_WINDOW, "ceil(full / 1000) + MARGIN", "MARGIN");
    assertCaught(Algorithm.SLIDING_LOG, "redis.call('PEXPIRE', key,", "local lost = type(");
  }

  @Test
  void catchesAnIdThatIsForgotten() {
    assertCaught(Algorithm.GCRA, "if known == '1' then", "if false then");
    assertCaught(Algorithm.GCRA, "ceil((till + 1 - now) / 1000) + MARGIN", "MARGIN");
    assertCaught(Algorithm.FIXED_WINDOW, "if now > till then", "if now > till + 1800000000 then");
  }

  @Test
  void catchesASettlementThatCountsOtherwise() {
    assertCaught(Algorithm.GCRA, "elseif more < 0 and gave(i, 999) then", "elseif more < 0 then");
    assertCaught(Algorithm.GCRA, "gave(i, 999)", "gave(i, 0)");
    assertCaught(Algorithm.FIXED_WINDOW, "rule.per_call and 1 or actual", "actual");
    assertCaught(Algorithm.GCRA, "(unused and 0 or", "(");
    assertCaught(Algorithm.SLIDING_WINDOW, "min(more, meter.of.room(meter))", "more");
    assertCaught(Algorithm.SLIDING_LOG, "meter.of.latest(meter), counted", "0, counted");
  }

  @Test
  void catchesADebtThatIsTakenForAPromise() {
    assertCaught(Algorithm.GCRA, "promised = m.promised > now", "promised = false");
    assertCaught(
        Algorithm.GCRA, "if m.settles then\n      promised", "if false then\n      promised");
    assertCaught(
        Algorithm.GCRA,
        "m.settles, m.promised = true, over > 0",
        "m.settles, m.promised = true, false");
    assertCaught(
        Algorithm.GCRA,
        "struct.unpack('>I7', found, 45) - max(0, stamp - now)",
        "struct.unpack('>I7', found, 45)");
  }

  private void assertCaught(Algorithm algorithm, String text, String instead) {
    UnaryOperator<String> fault = script -> script.replace(text, instead);
    assertThat(VirtualRedis.changes(fault)).as("the fault was planted").isTrue();
    assertThat(difference(fault, algorithm))
        .hasValueSatisfying(story -> assertThat(story).doesNotContain("Exception"));
  }

  private void assertSame(Algorithm algorithm) {
    assertThat(difference(UnaryOperator.identity(), algorithm)).isEmpty();
    assertThat(reached)
        .contains("granted", "granted in part", "refused", "promised", "the clock went back")
        .contains("TAKE", "PEEK", "GIVE_BACK", "a newer policy rules", "nothing left", "kept out")
        .contains("given back", "BEGIN", "COUNTED", "REPEATED", "LATE");
  }

  /** The first difference between the twins, or none. */
  private Optional<String> difference(UnaryOperator<String> fault, Algorithm algorithm) {
    try (VirtualRedis redis = new VirtualRedis(server, fault)) {
      for (int i = 0; i < 2 * HISTORIES; i++) {
        LimitHistory history =
            i < HISTORIES
                ? LimitHistory.of(SEED + i, STEPS, algorithm)
                : LimitHistory.settling(SEED + i - HISTORIES, STEPS, algorithm);
        Optional<String> difference = difference(redis, history);
        if (difference.isPresent()) {
          return difference;
        }
      }
      return Optional.empty();
    }
  }

  private record Asked(
      CompletionStage<?> reply,
      List<CompletionStage<String>> stored,
      List<CompletionStage<Long>> pttl,
      CompletionStage<Long> pttlOfId) {}

  private Optional<String> difference(VirtualRedis redis, LimitHistory history) {
    CallKeys keys = new LimitKeys(KeySpace.PLAIN).tiers(history.name(), "k", history.rules());
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
      SettleRequest settle = step.settle();
      CompletionStage<?> reply =
          settle == null
              ? redis.backend.limits().decide(step.request())
              : redis.backend.limits().settle(settle);
      asked.add(
          new Asked(
              reply,
              names.stream().map(redis::get).toList(),
              names.stream().map(redis::pttl).toList(),
              settle == null
                  ? CompletableFuture.completedFuture(NO_KEY)
                  : redis.pttl(idOf(settle, history))));
    }
    LimitState.Cell[] cells = new LimitState.Cell[names.size()];
    Map<String, LimitState.Cell> ids = new HashMap<>(); // known to the end, as in this Redis
    for (int i = 0; i < asked.size(); i++) {
      LimitHistory.Step step = history.steps().get(i);
      if (i == 0 || step.loss()) {
        Arrays.setAll(cells, c -> new LimitState.Cell());
      }
      List<byte @Nullable []> before = Arrays.stream(cells).map(cell -> cell.bytes).toList();
      Object expected = decide(step, cells, ids);
      note(step, expected, cells, before);
      Object actual = outcome(asked.get(i).reply);
      if (!expected.equals(actual)) {
        return Optional.of(story(history, i, expected, actual));
      }
      if (expected == Settlement.COUNTED) {
        SettleRequest settle = requireNonNull(step.settle());
        long until = settle.begunAtMicros() + settle.withinMicros() + 1;
        long pttl = join(asked.get(i).pttlOfId);
        if (!expires(pttl, until, step.now())) {
          return Optional.of(story(history, i, "an id until " + until, pttl));
        }
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
        long pttl = join(asked.get(i).pttl.get(c));
        boolean written = cells[c].bytes != before.get(c);
        if (!expires(pttl, cells[c], written, step.now())) {
          return Optional.of(story(history, i, "an expiry after " + cells[c].expiresAt, pttl));
        }
      }
    }
    return Optional.empty();
  }

  private static String idOf(SettleRequest settle, LimitHistory history) {
    CallKeys all =
        new LimitKeys(KeySpace.PLAIN).settlement(history.name(), "k", history.rules(), settle.id());
    return all.key(all.count);
  }

  private static Object decide(
      LimitHistory.Step step, LimitState.Cell[] cells, Map<String, LimitState.Cell> ids) {
    SettleRequest settle = step.settle();
    return settle == null
        ? LimitState.decide(step.now(), step.request(), cells)
        : LimitState.settle(
            step.now(),
            settle,
            cells,
            ids.computeIfAbsent(settle.id(), unknown -> new LimitState.Cell()));
  }

  private void note(
      LimitHistory.Step step,
      Object expected,
      LimitState.Cell[] cells,
      List<byte @Nullable []> before) {
    if (!(expected instanceof LimitReply reply)) {
      reached.add(expected.toString());
      return;
    }
    LimitRequest request = step.request();
    reached.add(request.verb().name());

    reached.add(
        reply.delay() > 0
            ? "promised"
            : reply.granted() == 0
                ? "refused"
                : reply.granted() < request.times() ? "granted in part" : "granted");
    if (reply.clockSteps() > 0) {
      reached.add("the clock went back");
    }
    if (reply.limit() != request.rules().get(reply.tier()).capacity()) {
      reached.add("a newer policy rules");
    }
    if (request.verb() == Verb.GIVE_BACK && cells[0].bytes == null) {
      reached.add("nothing left");
    }
    if (request.verb() == Verb.GIVE_BACK && request.takenAtMicros() > 0 && before.get(0) != null) {
      reached.add(cells[0].bytes == before.get(0) ? "kept out" : "given back");
    }
  }

  /** Whether a key goes when nothing counts as spent, a margin later, and not earlier. */
  private static boolean expires(long pttl, LimitState.Cell cell, boolean written, long now) {
    if (cell.bytes == null) {
      return pttl == NO_KEY;
    }
    return written ? expires(pttl, cell.expiresAt, now) : pttl > 0;
  }

  private static boolean expires(long pttl, long expiresAt, long now) {
    long most = (expiresAt - now + 999) / 1000 + VirtualRedis.MARGIN_MILLIS;
    return pttl <= most && pttl > most - MAX_TEST_MILLIS;
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
