package dev.sluice.cache.explorer;

import dev.sluice.cache.explorer.ExploredState.Near;
import dev.sluice.cache.explorer.Protocol.Event;
import dev.sluice.cache.explorer.Protocol.Rule;
import java.util.List;

/** Steps of the near tier in the first reader's process. */
final class NearSteps {
  private final Protocol protocol;

  NearSteps(Protocol protocol) {
    this.protocol = protocol;
  }

  void from(ExploredState world, List<Move> moves) {
    if (!protocol.is(Rule.NEAR)) {
      return;
    }
    Near near = world.near;
    ExploredState next = world.copy();
    if (near.answer() >= 0) {
      reads(next, moves);
    } else if (near.place() < 0) {
      if (protocol.is(Rule.NEAR_IGNORES_GAP)) {
        next.near = near.told(world.log, world.done, false);
        moves.add(new Move("R1's process polls a log that begins after its place", next, null));
      } else {
        next.log++;
        next.near = near.told(next.log, world.done, true);
        moves.add(new Move("R1's process makes a new place in the log", next, null));
      }
    } else if (near.place() < world.log || near.floor() < world.done) {
      next.near = near.told(world.log, world.done, false);
      moves.add(new Move("R1's process polls the log", next, null));
    }
  }

  private void reads(ExploredState next, List<Move> moves) {
    Near near = next.near;
    boolean dropped =
        near.begins()
            ? !protocol.is(Rule.NEAR_FLUSHES_EARLY)
            : near.place() >= 0 && near.place() < near.answer();
    next.near = near.read();
    if (dropped) {
      next.dropCopies();
    }
    String what = "R1's process reads its answer" + (dropped ? ", and drops its copy" : "");
    moves.add(new Move(what, next, null));
  }

  void happens(ExploredState world, List<Move> moves) {
    boolean may = protocol.is(Rule.NEAR) && protocol.may(Event.LOG_TRIMMED);
    if (may && world.near.place() >= 0 && world.near.place() < world.log && idle(world)) {
      ExploredState next = world.copy();
      next.near = world.near.lost();
      if (protocol.is(Rule.NEAR_FLUSHES_EARLY)) {
        next.dropCopies();
      }
      moves.add(new Move("the log loses its beginning, and R1's process is told", next, null));
    }
  }

  private static boolean idle(ExploredState world) {
    return world.near.answer() < 0;
  }
}
