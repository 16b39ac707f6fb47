package dev.sluice.internal.inventory;

import dev.sluice.internal.call.Failures;
import dev.sluice.internal.call.RetryingCall;
import dev.sluice.internal.call.TimerQueue;
import dev.sluice.spi.ClientParts;
import dev.sluice.spi.InventoryBackend;
import dev.sluice.spi.Scheduler;
import dev.sluice.spi.Ticker;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Shared parts of all stocks of a client: the store, the clock, and the requests under way. */
final class InventoryStore {
  static final System.Logger LOG = System.getLogger("dev.sluice.inventory");

  final InventoryBackend backend;
  final Ticker ticker;
  final Scheduler scheduler;
  final TimerQueue timers;
  final Executor callbacks;
  private final String clientId;
  private final Set<CompletableFuture<?>> asked = ConcurrentHashMap.newKeySet();
  private final AtomicLong consumers = new AtomicLong();
  private volatile boolean closed;

  InventoryStore(ClientParts parts) {
    this.backend = parts.backend().inventories();
    this.clientId = parts.clientId();
    this.ticker = parts.ticker();
    this.scheduler = parts.scheduler();
    this.timers = new TimerQueue(parts.ticker(), parts.scheduler());
    this.callbacks = parts.callbacks();
  }

  String newConsumer() {
    return clientId + "-" + consumers.incrementAndGet();
  }

  static long jitter(long boundNanos) {
    return ThreadLocalRandom.current().nextLong(Math.max(1, boundNanos));
  }

  boolean isClosed() {
    return closed;
  }

  /** Sends a request, and retries it after a temporary failure. */
  <T extends @Nullable Object> CompletableFuture<T> ask(
      long timeoutNanos, Supplier<CompletionStage<T>> verb) {
    if (closed) {
      throw Failures.closed();
    }
    CompletableFuture<T> answer =
        RetryingCall.of(timers, ticker, InventoryStore::jitter, timeoutNanos, verb);
    if (!answer.isDone()) {
      asked.add(answer);
      answer.whenComplete((reply, failure) -> asked.remove(answer));
      if (closed) { // close() may have missed it
        answer.completeExceptionally(Failures.closed());
      }
    }
    return answer;
  }

  /** Ends all requests. */
  void stop() {
    closed = true;
  }

  /** Fails requests without an answer. */
  void close() {
    List.copyOf(asked).forEach(each -> each.completeExceptionally(Failures.closed()));
    timers.close();
  }
}
