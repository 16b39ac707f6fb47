package dev.sluice.internal.lock;

import static java.util.Objects.requireNonNull;

import dev.sluice.lock.AsyncReadWriteLock;
import dev.sluice.lock.DistributedReadWriteLock;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseLock;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.PermitInfo;
import dev.sluice.text.Names;

/** A read-write lock as callers use it. */
final class ClientReadWriteLock implements DistributedReadWriteLock {
  private final GrantEngine engine;
  private final String name;
  private final LockOptions options;
  private final ClientLock read;
  private final ClientLock write;

  ClientReadWriteLock(GrantEngine engine, String name, LockOptions options, boolean writerFirst) {
    this.engine = engine;
    this.name = name;
    this.options = options;
    this.read = new ClientLock(engine, name, options, UnitRequest.READ);
    this.write = new ClientLock(engine, name, options, UnitRequest.write(writerFirst));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public LockOptions options() {
    return options;
  }

  @Override
  public LeaseLock readLock() {
    return read;
  }

  @Override
  public LeaseLock writeLock() {
    return write;
  }

  @Override
  public Lease downgrade(Lease writer) {
    requireNonNull(writer, "writer must not be null");
    if (!(writer instanceof LocalLease lease)
        || !(lease.issuer instanceof GrantCoordinator coordinator)
        || coordinator.store() != engine.store
        || !coordinator.name().equals(name)
        || lease.unitRequest.shares()) {
      throw new IllegalArgumentException(
          "not a lease to write under " + Names.quoted(name) + " of this client: " + writer);
    }
    LocalLease reader = coordinator.downgrade(lease);
    if (reader == null) {
      lease.checkHeld();
      throw lease.lost();
    }
    return reader;
  }

  @Override
  public PermitInfo info() {
    return engine.permitInfo(name);
  }

  @Override
  public AsyncReadWriteLock async() {
    return () -> engine.inspect(name);
  }

  @Override
  public String toString() {
    return "ReadWriteLock[" + Names.quoted(name) + "]";
  }
}
