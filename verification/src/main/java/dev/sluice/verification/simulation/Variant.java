package dev.sluice.verification.simulation;

import dev.sluice.internal.lock.LeaseRules;
import dev.sluice.lock.LockOptions;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.Scheduler;
import dev.sluice.state.grant.GrantKind;
import dev.sluice.state.grant.GrantState;

/** The code that is simulated: the real one, unless a method is overridden to plant a fault. */
public interface Variant {

  /** The real code. */
  Variant REAL = new Variant() {};

  /**
   * The store's decisions.
   *
   * @param name the lock
   * @return the state of a lock that was never held
   */
  default GrantState newState(String name) {
    return new GrantState(name, GrantKind.LOCK);
  }

  /** {@return the client's arithmetic} */
  default LeaseRules rules() {
    return new LeaseRules(0.01);
  }

  /**
   * How callers hold the lock.
   *
   * @param drawn as the seed says
   * @return as they do
   */
  default LockOptions options(LockOptions drawn) {
    return drawn;
  }

  /**
   * What stands between an engine and the network.
   *
   * @param link the network
   * @param scheduler the client's timer
   * @return what the engine talks to
   */
  default GrantBackend client(GrantBackend link, Scheduler scheduler) {
    return link;
  }
}
