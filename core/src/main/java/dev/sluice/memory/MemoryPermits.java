package dev.sluice.memory;

import dev.sluice.SluiceException;
import dev.sluice.lock.PermitInfo;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.LockState;
import dev.sluice.spi.PermitBackend;
import dev.sluice.spi.PermitReply;
import dev.sluice.spi.PermitRequest;
import dev.sluice.spi.PermitState;
import dev.sluice.spi.RenewReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** Semaphores and read-write locks inside this JVM. Safe for use by many threads. */
final class MemoryPermits implements PermitBackend {
  private static final int CALLS_PER_SWEEP = 1024;

  private final LongSupplier clock;
  private final Function<String, PermitState> newState;
  private final Map<String, PermitState> states = new ConcurrentHashMap<>();
  private final Map<String, Consumer<LockMessage>> inboxes = new ConcurrentHashMap<>();

  /** Calls until names that nobody needs are swept out. */
  private final AtomicInteger calls = new AtomicInteger(CALLS_PER_SWEEP);

  MemoryPermits(LongSupplier clockMicros, Function<String, PermitState> newState) {
    this.clock = clockMicros;
    this.newState = newState;
  }

  @Override
  public CompletionStage<PermitReply> acquire(PermitRequest request) {
    return decide(request.name(), (now, state, post) -> state.acquire(now, request, post));
  }

  @Override
  public CompletionStage<RenewReply> renew(
      String name, String client, long attempt, long ttlMicros) {
    return decide(name, (now, state, post) -> state.renew(now, client, attempt, ttlMicros));
  }

  @Override
  public CompletionStage<Boolean> release(String name, String client, long attempt, int keep) {
    return decide(name, (now, state, post) -> state.release(now, client, attempt, keep, post));
  }

  @Override
  public CompletionStage<Integer> resize(String name, int capacity) {
    return decide(name, (now, state, post) -> state.resize(now, capacity, post));
  }

  @Override
  public CompletionStage<PermitInfo> inspect(String name) {
    return decide(name, (now, state, post) -> state.inspect(now));
  }

  @Override
  public CompletionStage<List<String>> names(int limit) {
    sweep(clock.getAsLong());
    return CompletableFuture.completedFuture(states.keySet().stream().limit(limit).toList());
  }

  @Override
  public CompletionStage<Void> listen(String client, Consumer<LockMessage> listener) {
    inboxes.put(client, listener);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void unlisten(String client) {
    inboxes.remove(client);
  }

  void clear() {
    states.clear();
  }

  @FunctionalInterface
  private interface Decision<T> {
    T decide(long now, PermitState state, LockState.Post post);
  }

  private record Letter(String client, LockMessage message) {}

  /** One atomic step on one name; messages leave after it. */
  private <T> CompletionStage<T> decide(String name, Decision<T> decision) {
    if (calls.decrementAndGet() == 0) {
      sweep(clock.getAsLong());
      calls.set(Math.max(CALLS_PER_SWEEP, states.size())); // a constant cost per call
    }
    List<Letter> letters = new ArrayList<>(0);
    CompletableFuture<T> reply = new CompletableFuture<>();
    states.compute(
        name,
        (key, known) -> {
          PermitState state = known == null ? newState.apply(name) : known;
          long now =
              clock.getAsLong(); // inside the step: no decision sees an earlier time than the last
          try {
            reply.complete(
                decision.decide(
                    now, state, (client, message) -> letters.add(new Letter(client, message))));
          } catch (SluiceException e) {
            reply.completeExceptionally(e);
          }
          return state.isForgettable(now) ? null : state;
        });
    for (Letter letter : letters) {
      Consumer<LockMessage> inbox = inboxes.get(letter.client);
      if (inbox != null) {
        inbox.accept(letter.message);
      }
    }
    return reply;
  }

  /** Forgets what nobody needs any more; each state is looked at in a step of its own. */
  private void sweep(long now) {
    for (String name : states.keySet()) {
      states.computeIfPresent(name, (key, state) -> state.isForgettable(now) ? null : state);
    }
  }
}
