package dev.sluice.internal.lock;

import static java.util.Objects.requireNonNull;

import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.ForcedRelease;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.LockOptions;
import dev.sluice.text.Names;
import java.time.Duration;
import java.util.Optional;

/** A lock of a single unit as callers see it. */
final class ClientMutex extends ClientLock implements DistributedLock {

  ClientMutex(GrantEngine engine, String name, LockOptions options) {
    super(engine, name, options, Demand.LOCK);
  }

  @Override
  public LockInfo info() {
    return engine.lockInfo(name);
  }

  @Override
  public boolean releaseAfter(Lease lease, Duration delay) {
    requireNonNull(lease, "lease must not be null");
    requireNonNull(delay, "delay must not be null");
    if (!(lease instanceof LocalLease own)
        || !(own.lender instanceof GrantCell cell)
        || cell.store() != store
        || !cell.name().equals(name)) {
      throw new IllegalArgumentException("not a lease of " + what() + " of this client: " + lease);
    }
    return own.releaseAfter(delay);
  }

  @Override
  public Optional<ForcedRelease> forceRelease() {
    return engine.forceRelease(name, 0);
  }

  @Override
  public Optional<ForcedRelease> forceRelease(long token) {
    if (token < 1) {
      throw new IllegalArgumentException("token must be >= 1: " + token);
    }
    return engine.forceRelease(name, token);
  }

  @Override
  public String toString() {
    return "Lock[" + Names.quoted(name) + "]";
  }
}
