package dev.sluice.testkit.lock;

import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.MultiLock;
import dev.sluice.testkit.FlakyBackend;
import java.util.List;

/**
 * The locks that the contracts of multi-locks take, and looks at them.
 *
 * @since 0.1
 */
public interface MultiLockContract extends LockContract {
  String A = "multi/a";
  String B = "multi/b {1}";
  String C = "multi/c";
  List<String> ALL = List.of(C, A, B);

  /** The locks of the tests as one. */
  default MultiLock all(Sluice client, LockOptions options) {
    return client.multiLock(ALL, options);
  }

  /** Takes one of the locks alone. */
  default Lease takeOne(Sluice client, String name) {
    return client.lock(name, LONG).tryAcquire().orElseThrow(AssertionError::new);
  }

  /** Looks at one of the locks. */
  default LockInfo info(String name) {
    return watcher().inspect().lock(name);
  }

  /** Returns whether a lock has no holder and no waiter. */
  default boolean isFree(String name) {
    return info(name).holder().isEmpty() && info(name).waiters().isEmpty();
  }

  /** Returns whether no lock has a holder or a waiter. */
  default boolean allAreFree() {
    return ALL.stream().allMatch(this::isFree);
  }

  /**
   * Waits until the store has a ticket of a client. A store may show a request that does not wait
   * as a waiter until it has answered, so a request that waits has to be on the line too.
   */
  default void untilItWaits(FlakyBackend line, Sluice client, String name) {
    until("it waits for " + name, () -> waits(line, client, name));
  }

  /** Returns whether a request that waits was sent, and the store has its ticket. */
  default boolean waits(FlakyBackend line, Sluice client, String name) {
    return line.acquires().stream().anyMatch(r -> r.queue() && r.name().equals(name))
        && info(name).waiters().stream().anyMatch(w -> w.client().equals(client.clientId()));
  }

  /** Returns whether a client holds a lock, as the store sees it. */
  default boolean holds(Sluice client, String name) {
    return info(name).holder().filter(h -> h.client().equals(client.clientId())).isPresent();
  }
}
