package dev.sluice.testkit;

import dev.sluice.spi.LatchBackend;
import dev.sluice.spi.LatchReply;
import dev.sluice.testkit.FlakyBackend.Verb;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** The latches behind a {@link FlakyBackend}. */
final class FlakyLatches implements LatchBackend {
  private final FlakyBackend line;
  private final LatchBackend store;

  FlakyLatches(FlakyBackend line, LatchBackend store) {
    this.line = line;
    this.store = store;
  }

  @Override
  public CompletionStage<Boolean> trySet(
      String name, String client, long number, long count, long keepMicros) {
    return line.send(Verb.SET_COUNT, () -> store.trySet(name, client, number, count, keepMicros));
  }

  @Override
  public CompletionStage<Long> countDown(String name, String client, long number, long by) {
    return line.send(Verb.COUNT_DOWN, () -> store.countDown(name, client, number, by));
  }

  @Override
  public CompletionStage<LatchReply> look(String name, String waiter) {
    return line.send(Verb.LOOK, () -> store.look(name, waiter));
  }

  @Override
  public CompletionStage<Void> listenForLatches(String client, Consumer<String> listener) {
    return store.listenForLatches(
        client,
        name -> {
          if (!line.losesMessages()) {
            listener.accept(name);
          }
        });
  }

  @Override
  public void unlistenForLatches(String client) {
    store.unlistenForLatches(client);
  }
}
