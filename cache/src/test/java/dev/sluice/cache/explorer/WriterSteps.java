package dev.sluice.cache.explorer;

import dev.sluice.cache.explorer.ExploredState.Writer;
import dev.sluice.cache.explorer.Protocol.Event;
import dev.sluice.cache.explorer.Protocol.Rule;
import dev.sluice.cache.explorer.Protocol.Write;
import java.util.List;
import java.util.Locale;

/** Steps of writers. */
final class WriterSteps {
  static final int NEVER_COMMITTED = 90;

  private final Protocol protocol;
  private final StoreSteps store;

  WriterSteps(Protocol protocol, StoreSteps store) {
    this.protocol = protocol;
    this.store = store;
  }

  static String name(int writer) {
    return "W" + (writer + 1);
  }

  static long attempt(int writer) {
    return 10 + writer;
  }

  void from(ExploredState world, int who, List<Move> moves) {
    Writer me = world.writers[who];
    if (me.dead() || me.at() == protocol.writes().size()) {
      return;
    }
    if (me.at() > 0 && protocol.may(Event.WRITER_DIES)) {
      ExploredState dead = world.copy();
      dead.writers[who] = new Writer(me.at(), me.version(), true);
      moves.add(new Move(name(who) + " dies", dead, null));
    }
    ExploredState next = world.copy();
    Write step = protocol.writes().get(me.at());
    int version = step == Write.COMMIT ? ++next.committed : me.version();
    String what = name(who) + ": " + step.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    what += step == Write.COMMIT || step == Write.PUT ? " version " + version : "";
    carryOut(step, next, who, version);
    if (protocol.is(Rule.SHARED) && who == 0 && step != Write.COMMIT) {
      next.leader = -1; // our own invalidation: the load under way is not joined any more
    }
    next.writers[who] = new Writer(me.at() + 1, version, false);
    if (me.at() + 1 == protocol.writes().size()) {
      next.done = Math.max(next.done, version);
      what += ", and returns";
    }
    moves.add(new Move(what, next, null));
  }

  private void carryOut(Write step, ExploredState next, int who, int version) {
    String client = protocol.writerClient(who);
    long attempt = attempt(who);
    switch (step) {
      case INTEND ->
          store.send(next, (c, woken) -> c.intend(Cell.NOW, client, attempt, Cell.SPAN, woken));
      case INVALIDATE ->
          store.send(next, (c, woken) -> c.invalidate(Cell.NOW, client, attempt, woken));
      case PUT -> store.send(next, (c, woken) -> c.put(Cell.NOW, Cell.value(version), woken));
      case PUT_EARLY ->
          store.send(next, (c, woken) -> c.put(Cell.NOW, Cell.value(NEVER_COMMITTED + who), woken));
      case APPEND -> next.log++;
      case COMMIT, ROLL_BACK -> {}
    }
  }
}
