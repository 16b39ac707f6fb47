package dev.sluice.memory;

import dev.sluice.spi.LatchBackend;
import dev.sluice.spi.LatchReply;
import dev.sluice.spi.LatchState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The latches of a {@link MemoryBackend}. Safe for use by many threads. */
final class MemoryLatches implements LatchBackend {
  private static final int CALLS_PER_SWEEP = 1024;

  private final LongSupplier clock;
  private final Supplier<LatchState> newState;
  private final Map<String, LatchState> latches = new ConcurrentHashMap<>();
  private final Map<String, Consumer<String>> inboxes = new ConcurrentHashMap<>();
  private final AtomicInteger calls = new AtomicInteger(CALLS_PER_SWEEP);

  MemoryLatches(LongSupplier clock, Supplier<LatchState> newState) {
    this.clock = clock;
    this.newState = newState;
  }

  @FunctionalInterface
  private interface Decision<T> {
    T decide(long now, LatchState state, Consumer<String> post);
  }

  @Override
  public CompletionStage<Boolean> trySet(
      String name, String client, long number, long count, long keepMicros) {
    return decide(name, (now, state, post) -> state.trySet(now, client, number, count, keepMicros));
  }

  @Override
  public CompletionStage<Long> countDown(String name, String client, long number, long by) {
    return decide(name, (now, state, post) -> state.countDown(now, client, number, by, post));
  }

  @Override
  public CompletionStage<LatchReply> look(String name, String waiter) {
    return decide(name, (now, state, post) -> state.look(now, waiter));
  }

  /** One atomic step on one name; messages leave after it. */
  private <T> CompletionStage<T> decide(String name, Decision<T> decision) {
    if (calls.decrementAndGet() == 0) {
      sweep();
      calls.set(Math.max(CALLS_PER_SWEEP, latches.size()));
    }
    List<String> told = new ArrayList<>(0);
    CompletableFuture<T> reply = new CompletableFuture<>();
    latches.compute(
        name,
        (key, known) -> {
          LatchState state = known == null ? newState.get() : known;
          long now = clock.getAsLong();
          reply.complete(decision.decide(now, state, told::add));
          return state.isForgettable(now) ? null : state;
        });
    for (String client : told) {
      Consumer<String> inbox = inboxes.get(client);
      if (inbox != null) {
        inbox.accept(name);
      }
    }
    return reply;
  }

  private void sweep() {
    long now = clock.getAsLong();
    for (String name : latches.keySet()) {
      latches.computeIfPresent(name, (key, state) -> state.isForgettable(now) ? null : state);
    }
  }

  /** Whether anything is stored under a name. */
  boolean knows(String name) {
    sweep();
    return latches.containsKey(name);
  }

  void clear() {
    latches.clear();
  }

  @Override
  public CompletionStage<Void> listenForLatches(String client, Consumer<String> listener) {
    inboxes.put(client, listener);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void unlistenForLatches(String client) {
    inboxes.remove(client);
  }
}
