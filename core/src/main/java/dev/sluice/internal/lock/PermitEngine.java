package dev.sluice.internal.lock;

import static java.util.Objects.requireNonNull;

import dev.sluice.internal.call.Failures;
import dev.sluice.lock.DistributedReadWriteLock;
import dev.sluice.lock.DistributedSemaphore;
import dev.sluice.lock.ForcedRelease;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.PermitInfo;
import dev.sluice.spi.AcquireReply;
import dev.sluice.spi.AcquireRequest;
import dev.sluice.spi.LockBackend;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.LockProtocol;
import dev.sluice.spi.Names;
import dev.sluice.spi.PermitBackend;
import dev.sluice.spi.PermitReply;
import dev.sluice.spi.PermitRequest;
import dev.sluice.spi.RenewReply;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * One client's semaphores and read-write locks over one backend: like its locks, with units.
 *
 * <p>Safe for use by many threads.
 */
public final class PermitEngine extends LockEngine {
  private final PermitBackend store;

  /**
   * An engine without names yet.
   *
   * @param store the store's verbs
   * @param parts clocks, threads and settings
   */
  public PermitEngine(PermitBackend store, Parts parts) {
    super(new AsLocks(store), parts);
    this.store = store;
  }

  /**
   * A semaphore by name.
   *
   * @param name 1 to 512 bytes of UTF-8
   * @param permits how many there are, 1 to {@link LockProtocol#MAX_PERMITS}
   * @param options how they are held
   * @return the semaphore; any number of objects of one name mean the same
   */
  public DistributedSemaphore semaphore(String name, int permits, LockOptions options) {
    check(name, options);
    return new ClientSemaphore(this, name, checkPermits(permits), options);
  }

  /**
   * A read-write lock by name.
   *
   * @param name 1 to 512 bytes of UTF-8
   * @param options how it is held
   * @param writerFirst whether a writer that waits goes before all readers that wait
   * @return the lock; any number of objects of one name mean the same
   */
  public DistributedReadWriteLock readWriteLock(
      String name, LockOptions options, boolean writerFirst) {
    check(name, options);
    return new ClientReadWriteLock(this, name, options, writerFirst);
  }

  private void check(String name, LockOptions options) {
    Names.check(name);
    requireNonNull(options, "options must not be null");
    checkTtl(options.ttl());
    checkOpen();
  }

  static int checkPermits(int permits) {
    if (permits < 1 || permits > LockProtocol.MAX_PERMITS) {
      throw new IllegalArgumentException(
          "permits must be 1 to " + LockProtocol.MAX_PERMITS + ": " + permits);
    }
    return permits;
  }

  /**
   * Asks the store about a name.
   *
   * @param name the semaphore or read-write lock
   * @return what the store knows
   */
  public PermitInfo permitInfo(String name) {
    Names.check(name);
    checkOpen();
    return await(store.inspect(name), what(name));
  }

  /**
   * Asks the store about several names, all at once.
   *
   * @param names the semaphores or read-write locks
   * @return what the store knows, in the order of the names
   */
  public List<PermitInfo> permitInfos(Collection<String> names) {
    return all(names, store::inspect);
  }

  int resize(String name, int permits) {
    checkOpen();
    return await(store.resize(name, permits), what(name));
  }

  // ---- for cells ----

  @Override
  String what(String name) {
    return "permits of " + Names.quoted(name);
  }

  @Override
  LeaseCell newCell(String name) {
    return new PermitCell(this, name);
  }

  /** The end of an attempt says nothing of an earlier one that was granted. */
  @Override
  String undoKey(String name, long attempt) {
    return attempt + " " + name;
  }

  CompletionStage<PermitReply> acquire(PermitRequest request) {
    listenOnce();
    return Failures.call(() -> store.acquire(request));
  }

  CompletionStage<Boolean> shrink(String name, long attempt, int keep) {
    return Failures.call(() -> store.release(name, clientId, attempt, keep));
  }

  /** The verbs that are the same for locks. */
  private record AsLocks(PermitBackend store) implements LockBackend {
    @Override
    public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
      throw new UnsupportedOperationException("units are asked for otherwise");
    }

    @Override
    public boolean confirmsInParts() {
      return store.confirmsInParts();
    }

    @Override
    public CompletionStage<RenewReply> renew(
        String name, String client, long attempt, long ttlMicros) {
      return store.renew(name, client, attempt, ttlMicros);
    }

    @Override
    public CompletionStage<Boolean> release(String name, String client, long attempt) {
      return store.release(name, client, attempt, 0);
    }

    @Override
    public CompletionStage<Optional<ForcedRelease>> forceRelease(String name, long token) {
      return CompletableFuture.failedFuture(
          new UnsupportedOperationException(
              "leases of a read-write lock or semaphore end by release or with their TTL"));
    }

    @Override
    public CompletionStage<LockInfo> inspect(String name) {
      throw new UnsupportedOperationException("units are told otherwise");
    }

    @Override
    public CompletionStage<List<String>> names(int limit) {
      return store.names(limit);
    }

    @Override
    public CompletionStage<Void> listen(String client, Consumer<LockMessage> listener) {
      return store.listen(client, listener);
    }

    @Override
    public void unlisten(String client) {
      store.unlisten(client);
    }
  }
}
