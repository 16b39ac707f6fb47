package dev.sluice.guard;

/** Something that refuses stale tokens, and counts. Safe for use by many threads. */
public interface Guarding {

  /** {@return what was decided in this process so far} */
  GuardStats stats();
}
