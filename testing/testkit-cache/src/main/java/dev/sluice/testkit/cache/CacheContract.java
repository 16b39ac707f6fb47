package dev.sluice.testkit.cache;

import dev.sluice.testkit.LockContract;

/**
 * Every promise about guarded caches, as tests that any backend runs. A backend's test extends this
 * class and says how its store is started, as for the {@link LockContract}. The tests stand in the
 * classes above this one, by theme.
 */
public abstract class CacheContract extends CacheBadInputContract {

  /** For subclasses. */
  protected CacheContract() {}
}
