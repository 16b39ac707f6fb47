package dev.sluice.bench.systems;

/** How a lock is used, where a library lets its users choose. */
public enum Habit {
  /** The library's defaults. */
  PLAIN,
  /** The process keeps the idle lock for 30 s. */
  STICKY,
  /** One turn per process once another process waits. */
  ALTERNATING
}
