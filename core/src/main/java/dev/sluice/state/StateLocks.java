package dev.sluice.state;

import dev.sluice.lock.PermitInfo;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.RenewReply;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Locks of a store where this JVM decides. Safe for use by many threads. */
public final class StateLocks implements GrantBackend {
  private final States<LockState, LockMessage> states;

  /**
   * Locks over states.
   *
   * @param states what the store keeps
   */
  public StateLocks(States<LockState, LockMessage> states) {
    this.states = states;
  }

  @Override
  public CompletionStage<GrantReply> acquire(GrantRequest request) {
    return states.decide(
        request.name(), (now, state, post) -> state.acquire(now, request, post::send));
  }

  @Override
  public CompletionStage<RenewReply> renew(
      String name, String client, long attempt, long ttlMicros) {
    return states.decide(name, (now, state, post) -> state.renew(now, client, attempt, ttlMicros));
  }

  @Override
  public CompletionStage<Boolean> release(String name, String client, long attempt, int keep) {
    return states.decide(
        name, (now, state, post) -> state.release(now, client, attempt, post::send));
  }

  @Override
  public Optional<Delay> delay() {
    return Optional.of(
        (name, client, attempt, delayMicros) ->
            states.decide(
                name, (now, state, post) -> state.releaseAfter(now, client, attempt, delayMicros)));
  }

  @Override
  public Optional<Force> force() {
    return Optional.of(
        (name, token) ->
            states.decide(name, (now, state, post) -> state.forceRelease(now, token, post::send)));
  }

  @Override
  public CompletionStage<PermitInfo> inspect(String name) {
    return states.decide(name, (now, state, post) -> PermitInfo.of(state.inspect(now)));
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
