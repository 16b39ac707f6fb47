package dev.sluice.bench.chapter;

import dev.sluice.bench.systems.Habit;
import dev.sluice.bench.systems.Peer;

/**
 * One row of a workload's table.
 *
 * @param label what the row is called
 */
public record Contestant(String label, Peer kind, Habit habit) {
  /** Its defaults, under its own name. */
  public static Contestant of(Peer kind) {
    return new Contestant(kind.id(), kind, Habit.PLAIN);
  }
}
