package dev.sluice.cache.explorer;

import dev.sluice.cache.explorer.ExploredState.Reader;
import dev.sluice.cache.explorer.ExploredState.Stage;
import dev.sluice.cache.explorer.Protocol.Event;
import dev.sluice.cache.explorer.Protocol.Reads;
import dev.sluice.cache.explorer.Protocol.Rule;
import dev.sluice.spi.CacheEntry;
import dev.sluice.spi.CacheReply;
import dev.sluice.spi.CacheRequest.Aim;
import java.util.List;

/** Steps of readers. */
final class ReaderSteps {
  private final Protocol protocol;
  private final StoreSteps store;

  ReaderSteps(Protocol protocol, StoreSteps store) {
    this.protocol = protocol;
    this.store = store;
  }

  static String name(int reader) {
    return "R" + (reader + 1);
  }

  static long attempt(int reader) {
    return 1 + reader;
  }

  void from(ExploredState world, int who, List<Move> moves) {
    Reader me = world.readers[who];
    String name = name(who);
    ExploredState next = world.copy();
    switch (me.stage()) {
      case IDLE -> begins(world, who, moves);
      case READ -> reads(next, who, moves);
      case ASK -> asks(next, who, moves);
      case BLOCKED -> {
        boolean timeIsUp = world.cache.lease() != null && !world.cache.isLeased();
        boolean unheard = world.cache.lease() == null && mayMissMessages();
        if (me.woken() || timeIsUp || unheard) {
          next.readers[who] = me.at(Stage.ASK).woken(false);
          moves.add(new Move(name + (me.woken() ? " is woken" : " waits no longer"), next, null));
        }
      }
      case LOAD, BYPASS -> {
        boolean leased = me.stage() == Stage.LOAD;
        next.readers[who] = me.at(leased ? Stage.FILL : Stage.BYPASSED).with(world.committed);
        moves.add(
            new Move(name + " reads version " + world.committed + " in the database", next, null));
        if (leased && protocol.may(Event.LOADER_FAILS)) {
          moves.add(fails(world, who));
        }
        if (leased && protocol.may(Event.LOADER_DIES)) {
          ExploredState dead = world.copy();
          dead.readers[who] = Reader.idle(0).at(Stage.DEAD);
          moves.add(new Move(name + " dies", dead, null));
        }
      }
      case FILL -> fills(next, who, moves);
      case GOT_HIT -> hasHit(next, who, moves);
      case BYPASSED -> ends(next, who, name + " is through", Rule.JOINED_TAKE_BYPASS, moves);
      case REFUSED -> ends(next, who, name + " was refused", Rule.JOINED_TAKE_REFUSED, moves);
      case FILLED -> ends(next, who, name + " has filled", Rule.SHARED, moves);
      case JOINED, DONE, DEAD -> {}
    }
  }

  private void begins(ExploredState world, int who, List<Move> moves) {
    Reader me = world.readers[who];
    String what = name(who) + " begins, version " + world.done + " is done";
    ExploredState next = world.copy();
    boolean refreshes = protocol.reads() == Reads.REFRESHING && who == 1;
    next.readers[who] = me.begun(refreshes ? Stage.ASK : Stage.READ, world.done);
    moves.add(new Move(what, next, null));
    if (world.leader >= 0 && isShared(who)) {
      ExploredState joined = world.copy();
      joined.readers[who] = me.begun(Stage.JOINED, world.done);
      moves.add(new Move(what + ", joins " + name(world.leader), joined, null));
    }
    if (hasNear(who) && world.near.copy() >= 0) { // what it may be is what the log said last
      ExploredState copied = world.copy();
      copied.readers[who] = me.begun(Stage.READ, world.near.floor());
      moves.add(returns(copied, who, world.near.copy(), name(who) + " has a copy"));
    }
  }

  private void reads(ExploredState next, int who, List<Move> moves) {
    Reader me = next.readers[who];
    String name = name(who);
    CacheEntry entry = store.ask(next, (c, woken) -> c.read(Cell.NOW));
    if (entry != null && entry.isFresh()) {
      got(next, who, Cell.version(entry), name + " reads the store", moves);
    } else if (protocol.reads() == Reads.NAIVE) {
      next.readers[who] = me.at(Stage.LOAD);
      moves.add(new Move(name + " reads the store: miss", next, null));
    } else if (next.leader >= 0 && isShared(who)) {
      next.readers[who] = me.at(Stage.JOINED);
      moves.add(new Move(name + " reads the store: miss, joins " + name(next.leader), next, null));
    } else {
      next.leader = isShared(who) ? who : next.leader;
      next.readers[who] = me.at(Stage.ASK);
      moves.add(new Move(name + " reads the store: miss", next, null));
    }
  }

  private void asks(ExploredState next, int who, List<Move> moves) {
    Reader me = next.readers[who];
    boolean refreshes = protocol.reads() == Reads.REFRESHING && who == 1 && !me.again();
    Aim aim = refreshes ? Aim.REFRESH : Aim.LOAD;
    CacheReply reply =
        store.ask(
            next,
            (c, woken) ->
                c.begin(
                    Cell.NOW, StoreSteps.request(protocol.readerClient(who), attempt(who), aim)));
    if (reply instanceof CacheReply.Hit hit) {
      got(next, who, Cell.version(hit.entry()), name(who) + " asks for the lease", moves);
      return;
    }
    Stage then =
        reply instanceof CacheReply.Granted
            ? Stage.LOAD
            : reply instanceof CacheReply.Intended ? Stage.BYPASS : Stage.BLOCKED;
    next.readers[who] =
        refreshes && then == Stage.BLOCKED
            ? me.again(true) // somebody else's load is as good
            : me.at(then);
    String answer = reply.getClass().getSimpleName().toLowerCase();
    moves.add(new Move(name(who) + " asks for the lease: " + answer, next, null));
  }

  private void got(ExploredState next, int who, int version, String what, List<Move> moves) {
    if (isShared(who) || hasNear(who)) { // until the answer is there, others do things
      next.readers[who] = next.readers[who].at(Stage.GOT_HIT).with(version);
      moves.add(new Move(what + ": version " + version, next, null));
    } else {
      moves.add(returns(next, who, version, what));
    }
  }

  private void hasHit(ExploredState next, int who, List<Move> moves) {
    Reader me = next.readers[who];
    if (hasNear(who) && (me.clean() || protocol.is(Rule.NEAR_LOOKS_LATE))) {
      next.near = next.near.copy(me.value());
    }
    ends(next, who, name(who) + " has its answer", Rule.JOINED_TAKE_HIT, moves);
  }

  private void fills(ExploredState next, int who, List<Move> moves) {
    Reader me = next.readers[who];
    String client = protocol.readerClient(who);
    String what = name(who) + " fills version " + me.value();
    if (protocol.reads() == Reads.NAIVE) {
      store.send(next, (c, woken) -> c.put(Cell.NOW, Cell.value(me.value()), woken));
      moves.add(returns(next, who, me.value(), what));
      return;
    }
    if (next.leader == who && !protocol.is(Rule.JOINED_AFTER_FILL)) {
      next.leader = -1;
    }
    boolean stored =
        store.ask(
            next,
            (c, woken) -> c.fill(Cell.NOW, client, attempt(who), Cell.value(me.value()), woken));
    what += stored ? "" : ", refused";
    if (isShared(who)) {
      next.readers[who] = me.at(stored ? Stage.FILLED : Stage.REFUSED);
      moves.add(new Move(what, next, null));
    } else {
      moves.add(returns(next, who, me.value(), what));
    }
  }

  /** The leader has its value; those who joined take it, or begin anew. */
  private void ends(ExploredState next, int who, String what, Rule take, List<Move> moves) {
    if (next.leader == who) {
      next.leader = -1;
    }
    int version = next.readers[who].value();
    Move told = returns(next, who, version, what);
    for (int i = 0; i < next.readers.length; i++) {
      Reader other = next.readers[i];
      if (other.stage() == Stage.JOINED && isShared(who)) {
        if (protocol.is(take)) {
          Move his = returns(next, i, version, told.what() + "; " + name(i) + " takes it");
          told = new Move(his.what(), next, told.broken() == null ? his.broken() : told.broken());
        } else {
          next.readers[i] = other.at(Stage.READ);
        }
      }
    }
    moves.add(told);
  }

  private Move fails(ExploredState world, int who) {
    ExploredState next = world.copy();
    String client = protocol.readerClient(who);
    store.send(next, (c, woken) -> c.abandon(Cell.NOW, client, attempt(who), woken));
    next.readers[who] = next.readers[who].over();
    next.leader = next.leader == who ? -1 : next.leader;
    for (int i = 0; i < next.readers.length; i++) {
      if (next.readers[i].stage() == Stage.JOINED) {
        next.readers[i] = next.readers[i].at(Stage.READ);
      }
    }
    return new Move(name(who) + " fails to load", next, null);
  }

  private static Move returns(ExploredState next, int who, int version, String what) {
    int floor = next.readers[who].floor();
    next.readers[who] = next.readers[who].over();
    String broken = null;
    if (version >= WriterSteps.NEVER_COMMITTED) {
      broken = "rolled back: " + name(who) + " got a version that was never committed";
    } else if (version < floor) {
      broken =
          "done-read: %s got version %d, although version %d was done before it began"
              .formatted(name(who), version, floor);
    }
    return new Move(what + ", returns version " + version, next, broken);
  }

  private boolean isShared(int reader) {
    return protocol.is(Rule.SHARED) && reader < 2;
  }

  private boolean hasNear(int reader) {
    return protocol.is(Rule.NEAR) && reader == 0;
  }

  /** Then a reader waits until the lease that it was told of ends. */
  private boolean mayMissMessages() {
    return protocol.may(Event.MESSAGE_LOST) || protocol.may(Event.EVICTED);
  }
}
