package dev.sluice.cache.explorer;

import dev.sluice.cache.explorer.ExploredState.Reader;
import dev.sluice.cache.explorer.ExploredState.Stage;
import dev.sluice.cache.explorer.Protocol.Event;
import dev.sluice.spi.CacheKey;
import dev.sluice.spi.CacheRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;

/** Atomic steps of the store: the real decisions, and the messages that follow. */
final class StoreSteps {
  private static final CacheKey KEY = new CacheKey("explored", "key");

  private final Protocol protocol;
  private final Cell cell;

  StoreSteps(Protocol protocol) {
    this.protocol = protocol;
    this.cell = protocol.cell().get();
  }

  /** One step, and its messages; whether those arrive is not left to chance. */
  <T> T ask(ExploredState world, BiFunction<Cell, List<String>, T> step) {
    List<String> woken = new ArrayList<>();
    T result = step.apply(cell.put(world.cache), woken);
    world.cache = cell.take();
    if (!protocol.may(Event.MESSAGE_LOST)) {
      for (int i = 0; i < world.readers.length; i++) {
        Reader reader = world.readers[i];
        if (reader.stage() == Stage.BLOCKED && woken.contains(protocol.readerClient(i))) {
          world.readers[i] = reader.woken(true);
        }
      }
    }
    return result;
  }

  /** The same for steps without an answer. */
  void send(ExploredState world, BiConsumer<Cell, List<String>> step) {
    ask(
        world,
        (c, woken) -> {
          step.accept(c, woken);
          return true;
        });
  }

  static CacheRequest request(String client, long attempt, CacheRequest.Aim aim) {
    return new CacheRequest(KEY, client, attempt, Cell.SPAN, aim);
  }
}
