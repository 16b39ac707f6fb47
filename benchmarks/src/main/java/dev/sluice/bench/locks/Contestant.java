package dev.sluice.bench.locks;

import dev.sluice.bench.systems.Habit;
import dev.sluice.bench.systems.SystemKind;

/**
 * One row of a workload's table.
 *
 * @param label what the row is called
 */
record Contestant(String label, SystemKind kind, Habit habit) {
  static Contestant of(SystemKind kind) {
    return new Contestant(kind.id(), kind, Habit.PLAIN);
  }
}
