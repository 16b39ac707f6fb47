package dev.sluice.internal.lock;

import static java.util.Objects.requireNonNull;

import dev.sluice.lock.LeaderElection;
import dev.sluice.lock.LockOptions;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** The elections of one client. Safe for use by many threads. */
public final class Elections implements AutoCloseable {
  private static final long MAX_CLOSE_NANOS = TimeUnit.SECONDS.toNanos(4);

  private final GrantEngine engine;
  private final Set<ClientElection> running = ConcurrentHashMap.newKeySet();

  /**
   * None yet.
   *
   * @param engine whose locks decide
   */
  public Elections(GrantEngine engine) {
    this.engine = engine;
  }

  /**
   * An election without candidates.
   *
   * @param name 1 to 512 bytes of UTF-8
   * @param options how the leader holds the lock; not sticky
   * @return the election
   */
  public LeaderElection election(String name, LockOptions options) {
    requireNonNull(options, "options must not be null");
    if (options.sticky().isPresent()) {
      throw new IllegalArgumentException(
          "an election does not support sticky(): a leader that resigns must release the lock;"
              + " remove sticky()");
    }
    return new ClientElection(this, engine, (ClientLock) engine.lock(name, options));
  }

  void began(ClientElection election) {
    running.add(election);
  }

  void ended(ClientElection election) {
    running.remove(election);
  }

  /** Ends all terms concurrently, and leaves the last second of the client's close to releases. */
  @Override
  public void close() {
    long until = System.nanoTime() + MAX_CLOSE_NANOS;
    List<ClientElection> all = List.copyOf(running);
    all.forEach(ClientElection::stop);
    all.forEach(election -> election.closeUntil(until));
  }
}
