package dev.sluice.internal.lock;

import static java.util.Objects.requireNonNull;

import dev.sluice.lock.AsyncDistributedLock;
import dev.sluice.lock.AsyncLock;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.ForcedRelease;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.PermitInfo;
import dev.sluice.text.Names;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** A single-unit lock as callers use it. */
final class ClientMutex extends ClientLock implements DistributedLock {

  ClientMutex(GrantEngine engine, String name, LockOptions options) {
    super(engine, name, options, UnitRequest.LOCK);
  }

  @Override
  public LockInfo info() {
    return engine.lockInfo(name);
  }

  @Override
  public boolean releaseAfter(Lease lease, Duration delay) {
    return own(lease).releaseAfter(requireNonNull(delay, "delay must not be null"));
  }

  private LocalLease own(Lease lease) {
    requireNonNull(lease, "lease must not be null");
    if (!(lease instanceof LocalLease own)
        || !(own.issuer instanceof GrantCoordinator coordinator)
        || coordinator.store() != store
        || !coordinator.name().equals(name)) {
      throw new IllegalArgumentException("not a lease of " + what() + " of this client: " + lease);
    }
    return own;
  }

  @Override
  public Optional<ForcedRelease> forceRelease() {
    return engine.forceRelease(name, 0);
  }

  @Override
  public Optional<ForcedRelease> forceRelease(long token) {
    return engine.forceRelease(name, checkToken(token));
  }

  private static long checkToken(long token) {
    if (token < 1) {
      throw new IllegalArgumentException("token must be >= 1: " + token);
    }
    return token;
  }

  @Override
  public AsyncDistributedLock async() {
    return new View(super.async());
  }

  private final class View implements AsyncDistributedLock {
    private final AsyncLock lock;

    View(AsyncLock lock) {
      this.lock = lock;
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquire() {
      return lock.tryAcquire();
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquire(Duration wait) {
      return lock.tryAcquire(wait);
    }

    @Override
    public CompletionStage<Lease> acquire(Duration wait) {
      return lock.acquire(wait);
    }

    @Override
    public CompletionStage<LockInfo> info() {
      return engine.inspect(name).thenApply(PermitInfo::asLock);
    }

    @Override
    public CompletionStage<Boolean> releaseAfter(Lease lease, Duration delay) {
      return own(lease).releaseAfterLater(requireNonNull(delay, "delay must not be null"));
    }

    @Override
    public CompletionStage<Optional<ForcedRelease>> forceRelease() {
      return engine.forceReleaseLater(name, 0);
    }

    @Override
    public CompletionStage<Optional<ForcedRelease>> forceRelease(long token) {
      return engine.forceReleaseLater(name, checkToken(token));
    }
  }

  @Override
  public String toString() {
    return "Lock[" + Names.quoted(name) + "]";
  }
}
