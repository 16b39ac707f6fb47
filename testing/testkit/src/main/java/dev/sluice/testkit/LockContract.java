package dev.sluice.testkit;

/**
 * Every promise about locks, as tests that any backend runs. A backend's test extends this class
 * and says how its store is started:
 *
 * <pre>{@code
 * class MyLockContractTest extends LockContract {
 *   protected StoreUnderTest openStore() {
 *     return new MyStore();
 *   }
 * }
 * }</pre>
 *
 * <p>The tests stand in the classes above this one, by promise; the names of the methods begin with
 * the promise that they test.
 */
public abstract class LockContract extends LockQueueContract {

  /** For subclasses. */
  protected LockContract() {}
}
