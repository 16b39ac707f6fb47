package dev.sluice.lock;

/**
 * An observer of every acquire and every lease of a client, for meters and traces. Calls come
 * concurrently, on the threads that act. They must be quick, and must not call Sluice. An exception
 * of an observer is logged and changes nothing.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface LockObserver {

  /**
   * A caller requests a lock. Called on the caller's thread, before anything else happens.
   *
   * @param name the lock
   * @param options how its leases are held
   * @return is called when the acquire ends
   */
  AcquireObserver onAcquire(String name, LockOptions options);

  /** Observes one acquire. One of the three methods is called, once. */
  interface AcquireObserver {

    /**
     * The lock was granted.
     *
     * @param lease what the caller gets
     * @return is called for each change of the lease
     */
    LeaseObserver onGranted(Lease lease);

    /**
     * Another client has the lock.
     *
     * @param waited whether the caller had been waiting; false if it asked once
     */
    void onRefused(boolean waited);

    /**
     * The store did not answer or refused, or the thread was interrupted.
     *
     * @param failure what the caller gets, or its cause
     */
    void onFailed(Throwable failure);
  }

  /** Observes one lease. */
  interface LeaseObserver {

    /**
     * The state of the lease changed.
     *
     * @param state as {@link LeaseListener} gets it; the last one is {@link LeaseState#RELEASED} or
     *     {@link LeaseState#LOST}
     */
    void onChange(LeaseState state);

    /** The store extended the lease. */
    default void onRenewed() {}
  }
}
