package dev.sluice.internal.limit;

import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.LimitRule;
import dev.sluice.spi.QueueReply;
import dev.sluice.spi.QueueRequest;
import dev.sluice.spi.Ticker;
import dev.sluice.state.LimitState;
import dev.sluice.state.QueueState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decides locally, with one process's share of the limit, while the store is unreachable. Safe for
 * use by many threads.
 *
 * <p>It counts a bounded number of keys. Above that, all further keys have one count together, so
 * no key gets more than its share.
 */
final class LocalShare {
  static final int MAX_KEYS = 100_000;

  private static final long SWEEP_MICROS = TimeUnit.SECONDS.toMicros(1);
  private static final long MAX_LEVEL = 1L << 52;

  // microseconds of some moment after 2001, which the arithmetic asks of a clock
  private static final long EPOCH = 1_767_225_600_000_000L;

  /** The counts of one key. */
  private static final class Count {
    final Map<String, LimitState.Cell> tiers = new HashMap<>(2);
    @Nullable QueueState queue;

    boolean isForgettable(long now) {
      return (queue == null || queue.isForgettable(now))
          && tiers.values().stream().allMatch(cell -> cell.forgettableAt() <= now);
    }
  }

  private final int processes;
  private final Ticker ticker;
  private final int maxKeys;
  private final long start;

  // guarded by this
  private final Map<String, Count> keys = new HashMap<>();
  private final Map<List<LimitRule>, Count> others = new HashMap<>();
  private final Count shared = new Count();
  private long nextSweep;

  LocalShare(int processes, Ticker ticker, int maxKeys) {
    this.processes = processes;
    this.ticker = ticker;
    this.maxKeys = maxKeys;
    this.start = ticker.nanos();
  }

  synchronized LimitReply decide(LimitRequest request) {
    long now = now();
    List<LimitRule> shares = request.rules().stream().map(this::share).toList();
    LimitRequest mine =
        new LimitRequest(
            request.verb(),
            request.limiter(),
            request.key(),
            shares,
            request.cost(),
            request.times(),
            request.maxWaitMicros(),
            request.takenAtMicros());
    Count own = count(request.key(), shares, now);
    LimitState.Cell[] cells = new LimitState.Cell[shares.size()];
    for (int i = 0; i < cells.length; i++) {
      LimitRule rule = shares.get(i);
      Map<String, LimitState.Cell> tiers = (rule.shared() ? shared : own).tiers;
      LimitState.Cell known = tiers.get(rule.tier());
      if (known == null || known.expiresAt <= now) {
        known = new LimitState.Cell();
        tiers.put(rule.tier(), known);
      }
      cells[i] = known;
    }
    return LimitState.decide(now, mine, cells);
  }

  synchronized QueueReply enter(QueueRequest request) {
    long now = now();
    QueueRequest mine =
        new QueueRequest(
            request.limiter(),
            request.key(),
            request.client(),
            request.ticket(),
            request.cost(),
            request.intervalMicros() * processes,
            Math.max(1, request.places() / processes),
            request.maxWaitMicros());
    Count own = count(request.key(), List.of(), now);
    QueueState queue = own.queue == null ? new QueueState() : own.queue;
    own.queue = queue;
    return queue.enter(now, mine);
  }

  private long now() {
    return EPOCH + (ticker.nanos() - start) / 1000;
  }

  private Count count(String key, List<LimitRule> rules, long now) {
    Count known = keys.get(key);
    if (known != null) {
      return known;
    }
    if (keys.size() >= maxKeys && now >= nextSweep) {
      nextSweep = now + SWEEP_MICROS;
      keys.values().removeIf(each -> each.isForgettable(now));
      others.values().removeIf(each -> each.isForgettable(now));
    }
    if (keys.size() >= maxKeys) { // those with one rule have one count
      return others.computeIfAbsent(rules, policy -> new Count());
    }
    Count made = new Count();
    keys.put(key, made);
    return made;
  }

  synchronized int size() {
    return keys.size();
  }

  private LimitRule share(LimitRule whole) {
    long capacity = Math.max(1, whole.capacity() / processes);
    long scale = whole.scale();
    long step = whole.step();
    if (whole.kind() == LimitRule.Kind.BUCKET) {
      step = Math.max(1, Math.min(step, MAX_LEVEL / capacity / processes)) * processes;
    } else if (whole.capacity() < processes) { // one permit, but in a longer window
      scale *= (processes + whole.capacity() - 1) / whole.capacity();
    }
    return new LimitRule(
        whole.kind(),
        capacity,
        scale,
        step,
        whole.version(),
        whole.carryOver(),
        whole.tier(),
        whole.shared(),
        whole.perCall());
  }
}
