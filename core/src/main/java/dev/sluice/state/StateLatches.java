package dev.sluice.state;

import dev.sluice.spi.LatchBackend;
import dev.sluice.spi.LatchReply;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Latches of a store where this JVM decides. Safe for use by many threads. */
public final class StateLatches implements LatchBackend {
  private final States<LatchState, String> states;

  /**
   * Latches over states.
   *
   * @param states what the store keeps; its messages to clients are names of latches
   */
  public StateLatches(States<LatchState, String> states) {
    this.states = states;
  }

  @Override
  public CompletionStage<Boolean> trySet(
      String name, String client, long number, long count, long keepMicros) {
    return states.decide(
        name, (now, state, post) -> state.trySet(now, client, number, count, keepMicros));
  }

  @Override
  public CompletionStage<Long> countDown(String name, String client, long number, long by) {
    return states.decide(
        name,
        (now, state, post) ->
            state.countDown(now, client, number, by, waiter -> post.send(waiter, name)));
  }

  @Override
  public CompletionStage<LatchReply> look(String name, String waiter) {
    return states.decide(name, (now, state, post) -> state.look(now, waiter));
  }

  @Override
  public CompletionStage<Void> listenForLatches(String client, Consumer<String> listener) {
    return states.listen(client, listener);
  }

  @Override
  public void unlistenForLatches(String client) {
    states.unlisten(client);
  }
}
