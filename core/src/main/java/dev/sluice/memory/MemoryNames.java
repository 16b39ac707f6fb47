package dev.sluice.memory;

import dev.sluice.SluiceException;
import dev.sluice.state.States;
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

/**
 * States by name, and the listeners of the clients that use them. Safe for use by many threads.
 *
 * @param <S> the state of one name
 * @param <M> the messages to clients
 */
final class MemoryNames<S, M> implements States<S, M> {
  private static final int CALLS_PER_SWEEP = 1024;

  /** Tests whether a state is unused. */
  @FunctionalInterface
  interface Forgettable<S> {
    boolean test(S state, long now);
  }

  private record Message<M>(String client, M content) {}

  /** The messages of one decision, delivered after it. Most decisions have none. */
  private final class Outbox implements Post<M> {
    private List<Message<M>> messages = List.of();

    @Override
    public void send(String client, M content) {
      if (messages.isEmpty()) {
        messages = new ArrayList<>();
      }
      messages.add(new Message<>(client, content));
    }

    void deliver() {
      for (Message<M> message : messages) {
        Consumer<M> listener = listeners.get(message.client);
        if (listener != null) {
          listener.accept(message.content);
        }
      }
    }
  }

  private final LongSupplier clock;
  private final Function<String, S> newState;
  private final Forgettable<S> forgettable;
  private final Map<String, S> states = new ConcurrentHashMap<>();
  private final Map<String, Consumer<M>> listeners = new ConcurrentHashMap<>();

  /** The number of calls after which unused names are removed. */
  private final AtomicInteger calls = new AtomicInteger(CALLS_PER_SWEEP);

  MemoryNames(LongSupplier clockMicros, Function<String, S> newState, Forgettable<S> forgettable) {
    this.clock = clockMicros;
    this.newState = newState;
    this.forgettable = forgettable;
  }

  @Override
  public <T> CompletionStage<T> decide(String name, Decision<S, M, T> decision) {
    if (calls.decrementAndGet() == 0) {
      sweep();
      calls.set(Math.max(CALLS_PER_SWEEP, states.size())); // a constant cost per call
    }
    Outbox outbox = new Outbox();
    CompletableFuture<T> reply = new CompletableFuture<>();
    states.compute(
        name,
        (key, known) -> {
          S state = known == null ? newState.apply(name) : known;
          long now =
              clock.getAsLong(); // inside the step: no decision sees an earlier time than the last
          try {
            reply.complete(decision.decide(now, state, outbox));
          } catch (SluiceException e) {
            reply.completeExceptionally(e);
          }
          return forgettable.test(state, now) ? null : state;
        });
    outbox.deliver();
    return reply;
  }

  /** Removes unused states; each state is examined in a separate step. */
  private void sweep() {
    long now = clock.getAsLong();
    for (String name : states.keySet()) {
      states.computeIfPresent(name, (key, state) -> forgettable.test(state, now) ? null : state);
    }
  }

  @Override
  public CompletionStage<List<String>> names(int limit) {
    sweep();
    return CompletableFuture.completedFuture(states.keySet().stream().limit(limit).toList());
  }

  @Override
  public CompletionStage<Void> listen(String client, Consumer<M> listener) {
    listeners.put(client, listener);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void unlisten(String client) {
    listeners.remove(client);
  }

  void clear() {
    states.clear();
  }
}
