package dev.sluice.internal.election;

import dev.sluice.internal.call.Failures;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.LeaderElection;
import dev.sluice.lock.LockOptions;
import dev.sluice.spi.ClientParts;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** The elections of one client. Safe for use by many threads. */
public final class Elections implements AutoCloseable {
  private static final long MAX_CLOSE_NANOS = TimeUnit.SECONDS.toNanos(4);

  private final ClientParts parts;
  private final Set<ClientElection> running = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * None yet.
   *
   * @param parts of the client
   */
  public Elections(ClientParts parts) {
    this.parts = parts;
  }

  /**
   * An election without candidates.
   *
   * @param lock its holder leads
   * @param options of the lock; not sticky
   * @return the election
   */
  public LeaderElection election(DistributedLock lock, LockOptions options) {
    if (options.sticky().isPresent()) {
      throw new IllegalArgumentException(
          "an election does not support sticky(): a leader that resigns must release the lock;"
              + " remove sticky()");
    }
    return new ClientElection(this, parts, lock);
  }

  void began(ClientElection election) {
    running.add(election);
    if (closed) {
      running.remove(election);
      throw Failures.closed();
    }
  }

  void ended(ClientElection election) {
    running.remove(election);
  }

  /** Ends all terms concurrently, and leaves the last second of the client's close to releases. */
  @Override
  public void close() {
    closed = true;
    long until = System.nanoTime() + MAX_CLOSE_NANOS;
    List<ClientElection> all = List.copyOf(running);
    all.forEach(ClientElection::stop);
    all.forEach(election -> election.closeUntil(until));
  }
}
