package dev.sluice.testkit;

import dev.sluice.Sluice;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.PermitInfo;
import dev.sluice.lock.ReadWriteOrder;
import java.util.List;

/**
 * Everything that a lock promises, promised by the exclusive side of a read-write lock: the same
 * tests, over the verbs of units.
 */
public abstract class WriteLockContract extends LockContract {

  /** For subclasses. */
  protected WriteLockContract() {}

  @Override
  protected final DistributedLock lock(Sluice client, String name, LockOptions options) {
    return client.readWriteLock(name, options, ReadWriteOrder.FAIR).writeLock();
  }

  @Override
  protected final LockInfo info(Sluice client, String name) {
    PermitInfo info = client.permitInfo(name);
    return new LockInfo(
        info.name(),
        info.holders().stream()
            .findFirst()
            .map(
                h ->
                    new LockInfo.Holder(
                        h.client(), h.attempt(), h.token(), h.since(), h.remaining())),
        info.waiters().stream().map(w -> new LockInfo.Waiter(w.client(), w.attempt())).toList(),
        info.lastToken());
  }

  @Override
  protected final List<String> names(Sluice client) {
    return client.permitNames(1000);
  }

  @Override
  protected final String noun() {
    return "write lock";
  }
}
