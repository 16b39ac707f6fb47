package dev.sluice.state.grant;

import dev.sluice.lock.PermitInfo;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.RenewReply;
import dev.sluice.state.States;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Locks, or semaphores and read-write locks, of a store where this JVM decides. Safe for use by
 * many threads.
 */
public final class StateGrants implements GrantBackend {
  private final GrantKind kind;
  private final States<GrantState, LockMessage> states;

  /**
   * Names with units over stored states.
   *
   * @param kind what the names are
   * @param states what the store keeps
   */
  public StateGrants(GrantKind kind, States<GrantState, LockMessage> states) {
    this.kind = kind;
    this.states = states;
  }

  @Override
  public CompletionStage<GrantReply> acquire(GrantRequest request) {
    return states.decide(request.name(), (now, state, post) -> state.acquire(now, request, post));
  }

  @Override
  public CompletionStage<RenewReply> renew(GrantAttempt attempt, long ttlMicros) {
    return states.decide(
        attempt.name(),
        (now, state, post) -> state.renew(now, attempt.client(), attempt.attempt(), ttlMicros));
  }

  @Override
  public CompletionStage<Boolean> release(GrantAttempt attempt, int keep) {
    return states.decide(
        attempt.name(),
        (now, state, post) -> state.release(now, attempt.client(), attempt.attempt(), keep, post));
  }

  @Override
  public Optional<Delay> delay() {
    return kind != GrantKind.LOCK
        ? Optional.empty()
        : Optional.of(
            (attempt, delayMicros) ->
                states.decide(
                    attempt.name(),
                    (now, state, post) ->
                        state.releaseAfter(now, attempt.client(), attempt.attempt(), delayMicros)));
  }

  @Override
  public Optional<Force> force() {
    return kind != GrantKind.LOCK
        ? Optional.empty()
        : Optional.of(
            (name, token) ->
                states.decide(name, (now, state, post) -> state.forceRelease(now, token, post)));
  }

  @Override
  public Optional<Resize> resize() {
    return kind != GrantKind.PERMIT
        ? Optional.empty()
        : Optional.of(
            (name, capacity) ->
                states.decide(name, (now, state, post) -> state.resize(now, capacity, post)));
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
}
