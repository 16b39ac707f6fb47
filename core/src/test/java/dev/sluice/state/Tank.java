package dev.sluice.state;

import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Limit;
import dev.sluice.limit.Settlement;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.LimitRule;
import dev.sluice.spi.SettleRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The cells of one key, at a time that a test sets; forgets them when they expire, as stores do.
 */
final class Tank {
  static final long EPOCH = 1_767_225_600_000_000L;

  static final long HOUR_MICROS = 3_600_000_000L;

  long now = EPOCH;
  private final Map<String, LimitState.Cell> marks = new HashMap<>();
  private LimitState.Cell[] cells = new LimitState.Cell[0];

  static List<LimitRule> rules(Limit... limits) {
    return LimitRule.of(List.of(limits), 0, CarryOver.KEEP, 0);
  }

  static List<LimitRule> rules(int version, CarryOver carryOver, Limit... limits) {
    return LimitRule.of(List.of(limits), version, carryOver, 0);
  }

  LimitReply take(List<LimitRule> rules, long cost) {
    return decide(LimitRequest.Verb.TAKE, rules, cost, 1, 0, 0);
  }

  LimitReply reserve(List<LimitRule> rules, long cost, long maxWait) {
    return decide(LimitRequest.Verb.TAKE, rules, cost, 1, maxWait, 0);
  }

  LimitReply peek(List<LimitRule> rules, long cost) {
    return decide(LimitRequest.Verb.PEEK, rules, cost, 1, 0, 0);
  }

  LimitReply giveBack(List<LimitRule> rules, long cost, long takenAt) {
    return decide(LimitRequest.Verb.GIVE_BACK, rules, cost, 1, 0, takenAt);
  }

  LimitReply begin(List<LimitRule> rules, long estimate) {
    return decide(LimitRequest.Verb.BEGIN, rules, estimate, 1, 0, 0);
  }

  /** Settles by an id within an hour. */
  Settlement settle(List<LimitRule> rules, String id, long estimate, long actual, long begunAt) {
    return settle(rules, id, estimate, actual, false, begunAt);
  }

  Settlement settle(
      List<LimitRule> rules, String id, long estimate, long actual, boolean unused, long begunAt) {
    LimitState.Cell mark = marks.computeIfAbsent(id, unknown -> new LimitState.Cell());
    if (mark.expiresAt <= now) {
      mark.bytes = null;
    }
    forgetExpired();
    return LimitState.settle(
        now,
        new SettleRequest(
            "limiter", "key", rules, id, estimate, actual, unused, begunAt, HOUR_MICROS),
        cells,
        mark);
  }

  LimitReply decide(
      LimitRequest.Verb verb,
      List<LimitRule> rules,
      long cost,
      int times,
      long maxWait,
      long takenAt) {
    if (cells.length == 0) {
      cells = Stream.generate(LimitState.Cell::new).limit(rules.size()).toArray(this::array);
    }
    forgetExpired();
    return LimitState.decide(
        now, new LimitRequest(verb, "limiter", "key", rules, cost, times, maxWait, takenAt), cells);
  }

  private void forgetExpired() {
    for (int i = 0; i < cells.length; i++) {
      if (cells[i].bytes != null && cells[i].expiresAt <= now) {
        cells[i] = new LimitState.Cell();
      }
    }
  }

  /** What a peek would answer at another time. */
  LimitReply peekAt(long time, List<LimitRule> rules, long cost) {
    Tank other = copy();
    other.now = time;
    return other.peek(rules, cost);
  }

  Tank copy() {
    Tank copy = new Tank();
    copy.now = now;
    copy.cells = Stream.of(cells).map(Tank::copy).toArray(this::array);
    return copy;
  }

  /** What is kept for a tier, or null. */
  byte[] bytes(int tier) {
    return cells.length == 0 || cells[tier].bytes == null || cells[tier].expiresAt <= now
        ? null
        : cells[tier].bytes.clone();
  }

  boolean isEmpty() {
    return Stream.of(cells).allMatch(cell -> cell.bytes == null || cell.expiresAt <= now);
  }

  private LimitState.Cell[] array(int size) {
    return new LimitState.Cell[size];
  }

  private static LimitState.Cell copy(LimitState.Cell cell) {
    LimitState.Cell copy = new LimitState.Cell();
    copy.bytes = cell.bytes == null ? null : cell.bytes.clone();
    copy.expiresAt = cell.expiresAt;
    return copy;
  }
}
