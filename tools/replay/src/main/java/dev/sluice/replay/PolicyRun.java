package dev.sluice.replay;

import static java.util.Objects.requireNonNull;

import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Limit;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.LimitRule;
import dev.sluice.spi.QueueReply;
import dev.sluice.spi.QueueRequest;
import dev.sluice.state.LimitState;
import dev.sluice.state.QueueState;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** One policy during the replay. Decides with the arithmetic that the stores use. */
final class PolicyRun {
  private static final int STATE_BYTES = 112;
  private static final int CELL_BYTES = 52;
  private static final int TURN_BYTES = 88;

  final ReplayPolicy policy;
  final LiveKeys live;
  final Frequent refusedKeys = new Frequent();
  final Delays delays = new Delays();

  /** The most admissions within a period for each tier, with its time and key. */
  final long[] worst;

  final long[] worstTime;
  final byte[][] worstKey;
  long admitted;
  long refused;

  private final long maxWait;
  private final long[] periods;
  private final boolean[] isShared;
  private final LimitState.Cell[] sharedCells;
  private final Span[] sharedSpans;
  private final @Nullable LimitRequest request;
  private final @Nullable QueueRequest queueRequest;

  /**
   * Starts with empty counts.
   *
   * @param maxWaitMicros how long callers wait; negative for not at all, and in a queue without a
   *     bound
   */
  PolicyRun(ReplayPolicy policy, long maxWaitMicros, long maxBytes) {
    this.policy = policy;
    this.live = new LiveKeys(maxBytes);
    boolean queue = policy.isQueue();
    this.maxWait =
        Math.min(
            Delays.MAX_MICROS, maxWaitMicros >= 0 ? maxWaitMicros : queue ? Delays.MAX_MICROS : 0);
    int tiers = policy.tiers().size();
    periods = new long[tiers];
    isShared = new boolean[tiers];
    sharedCells = new LimitState.Cell[tiers];
    sharedSpans = new Span[tiers];
    worst = new long[tiers];
    worstTime = new long[tiers];
    worstKey = new byte[tiers][0];
    for (int i = 0; i < tiers; i++) {
      Limit limit = policy.tiers().get(i);
      periods[i] = limit.periodMicros();
      isShared[i] = limit.isShared();
      sharedCells[i] = new LimitState.Cell();
      sharedSpans[i] = new Span();
      worstKey[i] = "all keys".getBytes(StandardCharsets.US_ASCII);
    }
    if (queue) {
      Limit limit = policy.tiers().get(0);
      long interval = QueueRequest.intervalMicros(limit);
      request = null;
      queueRequest = new QueueRequest("", "", "", 0, 1, interval, (int) limit.capacity(), maxWait);
    } else {
      request =
          new LimitRequest(
              LimitRequest.Verb.TAKE,
              "",
              "",
              LimitRule.of(policy.tiers(), 0, CarryOver.KEEP, 0),
              1,
              1,
              maxWait,
              0);
      queueRequest = null;
    }
  }

  /** Returns whether callers may wait. */
  boolean makesWait() {
    return maxWait > 0;
  }

  /** Decides the request of a line; true if it may pass, now or later. */
  boolean offer(long hash, long now, LogLine line) {
    KeyState key = live.get(hash);
    boolean isNew = key == null;
    if (key == null) {
      key = newKey();
    }
    long delay = now < key.refusedUntil ? -1 : decide(key, now);
    if (isNew) {
      key.weight = weightOf(key);
      live.add(hash, key, now);
    }
    if (delay < 0) {
      refused++;
      refusedKeys.add(hash, line);
      return false;
    }
    admitted++;
    delays.add(delay);
    note(key, now + delay, line);
    key.forgetAt = forgetAt(key, now + delay);
    live.weigh(key, weightOf(key), now);
    return true;
  }

  private KeyState newKey() {
    LimitState.Cell[] cells = sharedCells.clone();
    Span[] spans = sharedSpans.clone();
    for (int i = 0; i < cells.length; i++) {
      if (!isShared[i]) {
        cells[i] = new LimitState.Cell();
        spans[i] = new Span();
      }
    }
    return new KeyState(cells, spans, request == null ? new QueueState() : null);
  }

  /** The delay, or -1. */
  private long decide(KeyState key, long now) {
    if (request != null) {
      LimitReply reply = LimitState.decide(now, request, key.cells);
      if (reply.granted() > 0) {
        return reply.delay();
      }
      if (maxWait == 0) {
        // a refusal changes nothing, and the others of a shared tier only make it later
        key.refusedUntil = now + reply.retry();
        key.forgetAt = Math.max(key.forgetAt, key.refusedUntil);
      }
      return -1;
    }
    QueueReply reply = queueOf(key).enter(now, requestToQueue());
    key.queued = reply.waiting();
    key.drainedAt = now + reply.drain();
    return reply.admitted() ? reply.delay() : -1;
  }

  private static QueueState queueOf(KeyState key) {
    return requireNonNull(key.queue);
  }

  private QueueRequest requestToQueue() {
    return requireNonNull(queueRequest);
  }

  /** Checks whether this admission makes its period the fullest so far. */
  private void note(KeyState key, long at, LogLine line) {
    for (int i = 0; i < periods.length; i++) {
      long within = key.spans[i].add(at, periods[i]);
      if (within > worst[i]) {
        worst[i] = within;
        worstTime[i] = at;
        if (!isShared[i]) {
          worstKey[i] = Arrays.copyOfRange(line.key, line.keyFrom, line.keyTo);
        }
      }
    }
  }

  private long forgetAt(KeyState key, long admittedAt) {
    long latest = Math.max(key.refusedUntil, key.drainedAt);
    for (int i = 0; i < periods.length; i++) {
      if (!isShared[i]) {
        latest = Math.max(latest, Math.max(key.cells[i].expiresAt, admittedAt + periods[i]));
      }
    }
    return latest;
  }

  private int weightOf(KeyState key) {
    int weight = STATE_BYTES + TURN_BYTES * key.queued;
    for (int i = 0; i < periods.length; i++) {
      if (!isShared[i]) {
        byte[] bytes = key.cells[i].bytes;
        weight += CELL_BYTES + (bytes == null ? 0 : bytes.length) + key.spans[i].weight();
      }
    }
    return weight;
  }
}
