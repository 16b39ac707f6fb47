package dev.sluice.cache.explorer;

import dev.sluice.cache.explorer.ExploredState.Reader;
import dev.sluice.cache.explorer.ExploredState.Stage;
import dev.sluice.cache.explorer.ExploredState.Writer;
import dev.sluice.cache.explorer.Protocol.Event;
import dev.sluice.cache.explorer.Protocol.Rule;
import dev.sluice.spi.CacheReply;
import dev.sluice.spi.CacheRequest.Aim;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Steps that a state allows, and the states that they lead to. */
final class Steps {
  private final Protocol protocol;
  private final StoreSteps store;
  private final ReaderSteps readers;
  private final WriterSteps writers;
  private final NearSteps near;

  Steps(Protocol protocol) {
    this.protocol = protocol;
    this.store = new StoreSteps(protocol);
    this.readers = new ReaderSteps(protocol, store);
    this.writers = new WriterSteps(protocol, store);
    this.near = new NearSteps(protocol);
  }

  ExploredState start() {
    ExploredState world = new ExploredState(protocol.readers(), protocol.writers());
    if (protocol.may(Event.WARM)) {
      store.send(world, (c, woken) -> c.put(Cell.NOW, Cell.value(0), woken));
    }
    if (protocol.is(Rule.NEAR)) {
      world.readers[0] = Reader.idle(1);
    }
    return world;
  }

  /** {@return what somebody can do, or what can happen} */
  List<Move> from(ExploredState world) {
    List<Move> moves = new ArrayList<>();
    for (int i = 0; i < world.writers.length; i++) {
      writers.from(world, i, moves);
    }
    for (int i = 0; i < world.readers.length; i++) {
      readers.from(world, i, moves);
    }
    near.from(world, moves);
    if (!moves.isEmpty() || isWaitedFor(world)) {
      happens(world, moves);
    }
    return moves;
  }

  /** {@return what is wrong with a world in which nothing more is done, or null} */
  @Nullable String atRest(ExploredState world) {
    if (isWaitedFor(world)) {
      return "liveness: a reader waits for ever";
    }
    Cell.Shot left = world.cache;
    if (left.isFresh() && left.version() < world.committed) {
      return "permanent: the cache has version %d as fresh, the database %d"
          .formatted(left.version(), world.committed);
    }
    if (world.near.copy() >= 0 && world.near.copy() < world.committed) {
      return "permanent: R1's process has a copy of version %d, the database %d"
          .formatted(world.near.copy(), world.committed);
    }
    ExploredState later = world.copy();
    later.cache = left.withAllOld();
    CacheReply reply =
        store.ask(
            later, (c, woken) -> c.begin(Cell.NOW, StoreSteps.request("later", 99, Aim.LOAD)));
    return reply instanceof CacheReply.Granted
        ? null
        : "liveness: all has expired, and still nobody can fill: " + reply;
  }

  private static boolean isWaitedFor(ExploredState world) {
    for (Reader reader : world.readers) {
      if (reader.stage() == Stage.BLOCKED || reader.stage() == Stage.JOINED) {
        return true;
      }
    }
    return false;
  }

  private void happens(ExploredState world, List<Move> moves) {
    Cell.Shot cache = world.cache;
    if (protocol.may(Event.VALUE_EXPIRES) && cache.isFresh()) {
      moves.add(becomes(world, cache.withOldValue(), "the value expires"));
    }
    if (protocol.may(Event.LEASE_EXPIRES) && cache.isLeased()) {
      moves.add(becomes(world, cache.withOldLease(), "the lease expires"));
    }
    if (protocol.may(Event.EVICTED) && !cache.equals(Cell.Shot.EMPTY)) {
      moves.add(becomes(world, Cell.Shot.EMPTY, "the store forgets the key"));
    }
    for (int i = 0; i < world.writers.length; i++) {
      Writer writer = world.writers[i];
      boolean renewed = !writer.dead() && writer.version() == 0;
      String client = protocol.writerClient(i);
      long attempt = WriterSteps.attempt(i);
      if (protocol.may(renewed ? Event.INTENT_EXPIRES_EARLY : Event.INTENT_EXPIRES)
          && cache.hasIntent(client, attempt)) {
        Cell.Shot aged = cache.withOldIntent(client, attempt);
        moves.add(becomes(world, aged, "the intent of " + WriterSteps.name(i) + " expires"));
      }
    }
    for (int i = 0; i < world.readers.length; i++) {
      Reader reader = world.readers[i];
      boolean asked = reader.stage() == Stage.LOAD || reader.stage() == Stage.FILL;
      if (asked && !reader.again()) {
        late(world, i, moves);
      }
    }
    near.happens(world, moves);
  }

  /** A request for the lease that arrives when it is not expected any more. */
  private void late(ExploredState world, int who, List<Move> moves) {
    boolean twice = protocol.may(Event.ASKED_TWICE);
    if (!twice && !protocol.may(Event.ASKED_LATE)) {
      return;
    }
    long attempt = ReaderSteps.attempt(who) + (twice ? 0 : 50);
    String client = protocol.readerClient(who);
    ExploredState next = world.copy();
    store.send(
        next, (c, woken) -> c.begin(Cell.NOW, StoreSteps.request(client, attempt, Aim.LOAD)));
    next.readers[who] = world.readers[who].again(true);
    String which = twice ? "the request" : "an earlier request";
    moves.add(
        new Move(which + " of " + ReaderSteps.name(who) + " for the lease arrives", next, null));
  }

  private static Move becomes(ExploredState world, Cell.Shot cache, String what) {
    ExploredState next = world.copy();
    next.cache = cache;
    return new Move(what, next, null);
  }
}
