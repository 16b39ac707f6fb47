/** A lock provider for ShedLock. */
module dev.sluice.shedlock {
  requires transitive dev.sluice.core;
  requires transitive net.javacrumbs.shedlock.core;
  requires static org.jspecify;

  exports dev.sluice.shedlock;
}
