package dev.sluice.bench.pictures;

import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Limit;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.LimitRule;
import dev.sluice.spi.QueueReply;
import dev.sluice.spi.QueueRequest;
import dev.sluice.state.LimitState;
import dev.sluice.state.QueueState;
import java.util.ArrayList;
import java.util.List;

/**
 * The decisions of one algorithm about the calls of the pictures, in virtual time, by the
 * arithmetic that every store uses. Times in microseconds since the first whole second.
 *
 * @param admitted when each admitted call went ahead, in order
 * @param level permits left, or callers that wait in a queue, one value for each step of time
 * @param worst where the most admissions lie within one window
 */
record Trace(List<Long> admitted, List<Long> level, Window worst) {
  static final long SECOND = 1_000_000;
  static final long END = 6 * SECOND;
  static final long STEP = 5_000;

  /** The start of a whole second, as the windows of a clock need one. */
  private static final long EPOCH = 1_767_225_600 * SECOND;

  /**
   * A span of one second, its end left out.
   *
   * @param start its first moment
   * @param count admissions in it
   */
  record Window(long start, int count) {}

  /**
   * The same calls for everybody: one that opens a window, pressure across the edge of a second, a
   * pause, and a second and a half at twice the rate.
   */
  static List<Long> calls() {
    List<Long> calls = new ArrayList<>(List.of(SECOND / 10));
    for (long at = 750_000; at < 2_250_000; at += 25_000) {
      calls.add(at);
    }
    for (long at = 3_500_000; at < 5_000_000; at += 50_000) {
      calls.add(at);
    }
    return calls;
  }

  static Trace of(Limit limit) {
    return limit.algorithm() == Limit.Algorithm.LEAKY_QUEUE ? ofQueue(limit) : ofMeter(limit);
  }

  private static Trace ofMeter(Limit limit) {
    List<LimitRule> rules = LimitRule.of(List.of(limit), 0, CarryOver.KEEP, 0);
    LimitState.Cell[] cells = {new LimitState.Cell()};
    List<Long> admitted = new ArrayList<>();
    List<Long> level = new ArrayList<>();
    List<Long> calls = calls();
    int next = 0;
    for (long now = 0; now <= END; now += STEP) {
      while (next < calls.size() && calls.get(next) <= now) {
        long at = calls.get(next++);
        if (decide(LimitRequest.Verb.TAKE, at, rules, cells).granted() > 0) {
          admitted.add(at);
        }
      }
      level.add(decide(LimitRequest.Verb.PEEK, now, rules, cells).remaining());
    }
    return new Trace(admitted, level, worst(admitted));
  }

  private static LimitReply decide(
      LimitRequest.Verb verb, long at, List<LimitRule> rules, LimitState.Cell[] cells) {
    long now = EPOCH + at;
    if (cells[0].expiresAt <= now) {
      cells[0] = new LimitState.Cell(); // as a store forgets
    }
    return LimitState.decide(now, new LimitRequest(verb, "", "", rules, 1, 1, 0, 0), cells);
  }

  private static Trace ofQueue(Limit limit) {
    QueueState queue = new QueueState();
    List<Long> admitted = new ArrayList<>();
    List<Long> level = new ArrayList<>();
    List<Long> calls = calls();
    int next = 0;
    for (long now = 0; now <= END; now += STEP) {
      while (next < calls.size() && calls.get(next) <= now) {
        long at = calls.get(next++);
        QueueReply reply = queue.enter(EPOCH + at, ticket(limit, next, 1));
        if (reply.admitted()) {
          admitted.add(at + reply.delay());
        }
      }
      level.add((long) queue.enter(EPOCH + now, ticket(limit, 0, 0)).waiting());
    }
    return new Trace(admitted, level, worst(admitted));
  }

  private static QueueRequest ticket(Limit limit, long number, long cost) {
    long interval = limit.period().toNanos() / 1000 / limit.count();
    return new QueueRequest("", "", "", number, cost, interval, (int) limit.capacity(), END);
  }

  private static Window worst(List<Long> admitted) {
    Window worst = new Window(0, 0);
    for (long start : admitted) {
      int count = within(admitted, start, start + SECOND);
      if (count > worst.count()) {
        worst = new Window(start, count);
      }
    }
    return worst;
  }

  /** How many of these times lie in a span, its end left out. */
  static int within(List<Long> times, long from, long to) {
    return (int) times.stream().filter(at -> at >= from && at < to).count();
  }
}
