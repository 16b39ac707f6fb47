package dev.sluice.memory;

import dev.sluice.lock.PermitInfo;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.PermitBackend;
import dev.sluice.spi.PermitReply;
import dev.sluice.spi.PermitRequest;
import dev.sluice.spi.PermitState;
import dev.sluice.spi.RenewReply;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** Semaphores and read-write locks inside this JVM. Safe for use by many threads. */
final class MemoryPermits implements PermitBackend {
  private final MemoryNames<PermitState> states;

  MemoryPermits(LongSupplier clockMicros, Function<String, PermitState> newState) {
    this.states = new MemoryNames<>(clockMicros, newState, PermitState::isForgettable);
  }

  @Override
  public CompletionStage<PermitReply> acquire(PermitRequest request) {
    return states.decide(request.name(), (now, state, post) -> state.acquire(now, request, post));
  }

  @Override
  public CompletionStage<RenewReply> renew(
      String name, String client, long attempt, long ttlMicros) {
    return states.decide(name, (now, state, post) -> state.renew(now, client, attempt, ttlMicros));
  }

  @Override
  public CompletionStage<Boolean> release(String name, String client, long attempt, int keep) {
    return states.decide(
        name, (now, state, post) -> state.release(now, client, attempt, keep, post));
  }

  @Override
  public CompletionStage<Integer> resize(String name, int capacity) {
    return states.decide(name, (now, state, post) -> state.resize(now, capacity, post));
  }

  @Override
  public CompletionStage<PermitInfo> inspect(String name) {
    return states.decide(name, (now, state, post) -> state.inspect(now));
  }

  @Override
  public CompletionStage<List<String>> names(int limit) {
    return states.names(limit);
  }

  @Override
  public CompletionStage<Void> listen(String client, Consumer<LockMessage> listener) {
    return states.listen(client, listener);
  }

  @Override
  public void unlisten(String client) {
    states.unlisten(client);
  }

  void clear() {
    states.clear();
  }
}
