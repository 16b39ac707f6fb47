package dev.sluice.memory;

import dev.sluice.SluiceException;
import dev.sluice.limit.Settlement;
import dev.sluice.limit.ThrottleReply;
import dev.sluice.spi.LimitBackend;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.LimitRule;
import dev.sluice.spi.QueueReply;
import dev.sluice.spi.QueueRequest;
import dev.sluice.spi.SettleRequest;
import dev.sluice.spi.ThrottleRequest;
import dev.sluice.state.LimitState;
import dev.sluice.state.QueueState;
import dev.sluice.state.ThrottleState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The limits of a {@link MemoryBackend}. */
final class MemoryLimits implements LimitBackend {
  private static final int CALLS_PER_SWEEP = 1024;
  private static final int STRIPES = 64;

  /** The prefix of a settled id, in place of the name of a tier. */
  private static final String MARK = "=";

  /** The count of a tier, or a settled id; shared tiers have no key. */
  private record Slot(String limiter, String key, String tier) {}

  private record Queue(String limiter, String key) {}

  private record Message(String client, long ticket) {}

  private final LongSupplier clock;
  private final Decisions.Limits decider;

  /*
   * A decision holds the stripe of its key and then, if it has shared tiers, the stripe of its
   * limiter. The two arrays are taken in this order, one of each, so decisions can't deadlock.
   */
  private final Object[] byKey = stripes();
  private final Object[] byLimiter = stripes();
  private final Map<Slot, LimitState.Cell> cells = new ConcurrentHashMap<>();
  private final Map<Queue, QueueState> queues = new ConcurrentHashMap<>();
  private final Map<String, LimitState.Cell> throttles = new ConcurrentHashMap<>();
  private final Map<String, Consumer<Long>> listeners = new ConcurrentHashMap<>();

  /** The number of calls after which counts without an effect are removed. */
  private final AtomicInteger calls = new AtomicInteger(CALLS_PER_SWEEP);

  MemoryLimits(LongSupplier clock, Decisions.Limits decider) {
    this.clock = clock;
    this.decider = decider;
  }

  private static Object[] stripes() {
    Object[] stripes = new Object[STRIPES];
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new Object();
    }
    return stripes;
  }

  private static Object of(Object[] stripes, int hash) {
    return stripes[(hash ^ hash >>> 16) & (STRIPES - 1)];
  }

  private Object keyStripe(String limiter, String key) {
    return of(byKey, 31 * limiter.hashCode() + key.hashCode());
  }

  @Override
  public CompletionStage<LimitReply> decide(LimitRequest request) {
    sweepNowAndThen();
    try {
      synchronized (keyStripe(request.limiter(), request.key())) {
        if (request.rules().stream().noneMatch(LimitRule::shared)) {
          return CompletableFuture.completedFuture(decideLocked(request));
        }
        synchronized (of(byLimiter, request.limiter().hashCode())) {
          return CompletableFuture.completedFuture(decideLocked(request));
        }
      }
    } catch (SluiceException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private LimitReply decideLocked(LimitRequest request) {
    long now = clock.getAsLong();
    Slot[] slots = new Slot[request.rules().size()];
    for (int i = 0; i < slots.length; i++) {
      slots[i] = slot(request.limiter(), request.key(), request.rules().get(i));
    }
    LimitState.Cell[] asked = known(slots, now);
    LimitReply reply = decider.decide(now, request, asked);
    keep(slots, asked);
    return reply;
  }

  private void keep(Slot[] slots, LimitState.Cell[] asked) {
    for (int i = 0; i < asked.length; i++) {
      if (asked[i].bytes == null) {
        cells.remove(slots[i]);
      } else {
        cells.put(slots[i], asked[i]);
      }
    }
  }

  @Override
  public CompletionStage<Settlement> settle(SettleRequest request) {
    sweepNowAndThen();
    try {
      synchronized (keyStripe(request.limiter(), request.key())) {
        synchronized (of(byLimiter, request.limiter().hashCode())) {
          return CompletableFuture.completedFuture(settleLocked(request));
        }
      }
    } catch (SluiceException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private Settlement settleLocked(SettleRequest request) {
    long now = clock.getAsLong();
    int tiers = request.rules().size();
    Slot[] slots = new Slot[tiers + 1];
    for (int i = 0; i < tiers; i++) {
      slots[i] = slot(request.limiter(), request.key(), request.rules().get(i));
    }
    slots[tiers] = new Slot(request.limiter(), request.key(), MARK + request.id());
    LimitState.Cell[] asked = known(slots, now);
    Settlement settled = decider.settle(now, request, Arrays.copyOf(asked, tiers), asked[tiers]);
    keep(slots, asked);
    return settled;
  }

  /** The counts that still have an effect. */
  private LimitState.Cell[] known(Slot[] slots, long now) {
    LimitState.Cell[] asked = new LimitState.Cell[slots.length];
    for (int i = 0; i < asked.length; i++) {
      LimitState.Cell known = cells.get(slots[i]);
      asked[i] = known == null || known.expiresAt <= now ? new LimitState.Cell() : known;
    }
    return asked;
  }

  private static Slot slot(String limiter, String key, LimitRule rule) {
    return new Slot(limiter, rule.shared() ? "" : key, rule.tier());
  }

  @Override
  public CompletionStage<Void> forget(String limiter, String key, List<LimitRule> rules) {
    synchronized (keyStripe(limiter, key)) {
      for (LimitRule rule : rules) {
        if (!rule.shared()) {
          cells.remove(slot(limiter, key, rule));
        }
      }
    }
    if (rules.isEmpty()) {
      queues.remove(new Queue(limiter, key));
    }
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletionStage<QueueReply> enter(QueueRequest request) {
    sweepNowAndThen();
    return inQueue(request, (now, state, post) -> state.enter(now, request));
  }

  @Override
  public CompletionStage<QueueReply> advance(QueueRequest request) {
    return inQueue(request, (now, state, post) -> state.advance(now, request, post));
  }

  @Override
  public CompletionStage<Boolean> leave(QueueRequest request) {
    return inQueue(request, (now, state, post) -> state.leave(now, request, post));
  }

  @FunctionalInterface
  private interface Decision<T> {
    T decide(long now, QueueState state, QueueState.Post post);
  }

  private <T> CompletionStage<T> inQueue(QueueRequest request, Decision<T> decision) {
    List<Message> messages = new ArrayList<>(0);
    CompletableFuture<T> reply = new CompletableFuture<>();
    queues.compute(
        new Queue(request.limiter(), request.key()),
        (key, known) -> {
          QueueState state = known == null ? new QueueState() : known;
          long now = clock.getAsLong();
          reply.complete(
              decision.decide(
                  now, state, (client, ticket) -> messages.add(new Message(client, ticket))));
          return state.isForgettable(now) ? null : state;
        });
    for (Message message : messages) {
      Consumer<Long> listener = listeners.get(message.client);
      if (listener != null) {
        listener.accept(message.ticket);
      }
    }
    return reply;
  }

  @Override
  public CompletionStage<Void> listenForTurns(String client, Consumer<Long> listener) {
    listeners.put(client, listener);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void unlistenForTurns(String client) {
    listeners.remove(client);
  }

  @Override
  public CompletionStage<ThrottleReply> throttle(String key, ThrottleRequest request) {
    sweepNowAndThen();
    CompletableFuture<ThrottleReply> reply = new CompletableFuture<>();
    throttles.compute(
        key,
        (k, known) -> {
          LimitState.Cell cell = known == null ? new LimitState.Cell() : known;
          reply.complete(ThrottleState.decide(clock.getAsLong(), cell, request));
          return cell.bytes == null ? null : cell;
        });
    return reply;
  }

  void clear() {
    cells.clear();
    queues.clear();
    throttles.clear();
  }

  /** The number of counts of all kinds. */
  int size() {
    return cells.size() + queues.size() + throttles.size();
  }

  private void sweepNowAndThen() {
    if (calls.decrementAndGet() == 0) {
      sweep();
      calls.set(Math.max(CALLS_PER_SWEEP, size())); // a constant cost per call
    }
  }

  /** Removes empty counts; each count is examined in a separate step. */
  void sweep() {
    Function<LimitState.Cell, LimitState.@Nullable Cell> unlessOver =
        cell -> cell.expiresAt <= clock.getAsLong() ? null : cell;
    for (Slot slot : cells.keySet()) {
      synchronized (keyStripe(slot.limiter, slot.key)) {
        synchronized (of(byLimiter, slot.limiter.hashCode())) {
          cells.computeIfPresent(slot, (s, cell) -> unlessOver.apply(cell));
        }
      }
    }
    for (Queue queue : queues.keySet()) {
      queues.computeIfPresent(
          queue, (q, state) -> state.isForgettable(clock.getAsLong()) ? null : state);
    }
    for (String key : throttles.keySet()) {
      throttles.computeIfPresent(key, (k, cell) -> unlessOver.apply(cell));
    }
  }
}
