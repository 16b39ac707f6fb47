package dev.sluice.state;

import dev.sluice.spi.GrantBackend;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * States by name, where this JVM decides: each decision is one atomic step on the state of one
 * name. Safe for use by many threads; failures are those of {@link GrantBackend}.
 *
 * @param <S> the state of a name
 * @param <M> the messages to clients
 */
public interface States<S, M> {

  /**
   * Sends messages to clients. They leave once the step is done; a lost message costs a poll.
   *
   * @param <M> the messages to clients
   */
  @FunctionalInterface
  interface Post<M> {

    /**
     * Sends a hint.
     *
     * @param client to whom
     * @param message what
     */
    void send(String client, M message);
  }

  /**
   * A function of the store's time and the state, which it may change. It may be carried out more
   * than once, on the same state, if the store had to give up a try.
   *
   * @param <S> the state of a name
   * @param <M> the messages to clients
   * @param <T> the answer
   */
  @FunctionalInterface
  interface Decision<S, M, T> {

    /**
     * Decides.
     *
     * @param now the store's clock, microseconds since the epoch
     * @param state of the name; an empty one where nothing is kept
     * @param post carries messages that follow from the decision
     * @return the answer
     */
    T decide(long now, S state, Post<M> post);
  }

  /**
   * Runs one atomic step.
   *
   * @param name whose state
   * @param decision what to do
   * @param <T> the answer
   * @return the answer; fails with a {@link dev.sluice.SluiceException} of the decision
   */
  <T> CompletionStage<T> decide(String name, Decision<S, M, T> decision);

  /**
   * Lists names with a stored state.
   *
   * @param limit most names to return, at least 1
   * @return names, in no order
   */
  CompletionStage<List<String>> names(int limit);

  /**
   * Delivers messages for a client.
   *
   * @param client the process
   * @param listener called for each message; must not block
   * @return completes once messages are delivered
   */
  CompletionStage<Void> listen(String client, Consumer<M> listener);

  /**
   * Ends {@link #listen}.
   *
   * @param client the process
   */
  void unlisten(String client);
}
