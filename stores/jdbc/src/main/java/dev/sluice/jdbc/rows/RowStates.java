package dev.sluice.jdbc.rows;

import dev.sluice.state.States;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * States of one kind in rows, and the messages to clients, as text. Safe for use by many threads.
 *
 * @param <S> the state of a name
 * @param <M> the messages to clients
 */
public final class RowStates<S, M> implements States<S, M> {
  private final Rows rows;
  private final String kind;
  private final Rows.Codec<S> codec;
  private final Function<M, String> write;
  private final Function<Consumer<M>, Consumer<String>> read;

  /**
   * @param rows where they are
   * @param kind of the states
   * @param codec of the states
   * @param write makes a text
   * @param read passes on what a text says, and drops messages that Sluice did not send: any client
   *     may send anything
   */
  public RowStates(
      Rows rows,
      String kind,
      Rows.Codec<S> codec,
      Function<M, String> write,
      Function<Consumer<M>, Consumer<String>> read) {
    this.rows = rows;
    this.kind = kind;
    this.codec = codec;
    this.write = write;
    this.read = read;
  }

  @Override
  public <T> CompletionStage<T> decide(String name, Decision<S, M, T> decision) {
    return rows.decide(
        kind,
        name,
        codec,
        (now, state, post) ->
            decision.decide(
                now, state, (client, message) -> post.send(client, write.apply(message))));
  }

  @Override
  public CompletionStage<List<String>> names(int limit) {
    return rows.names(kind, limit);
  }

  @Override
  public CompletionStage<Void> listen(String client, Consumer<M> listener) {
    return rows.listen(kind, client, read.apply(listener));
  }

  @Override
  public void unlisten(String client) {
    rows.unlisten(kind, client);
  }
}
