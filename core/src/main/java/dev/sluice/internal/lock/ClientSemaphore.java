package dev.sluice.internal.lock;

import dev.sluice.lock.AsyncSemaphore;
import dev.sluice.lock.DistributedSemaphore;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.LockStats;
import dev.sluice.lock.PermitInfo;
import dev.sluice.text.Names;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;

/** A semaphore as callers use it. */
final class ClientSemaphore implements DistributedSemaphore {
  private final GrantEngine engine;
  private final String name;
  private final int permits;
  private final LockOptions options;
  private final ClientLock one;

  ClientSemaphore(GrantEngine engine, String name, int permits, LockOptions options) {
    this.engine = engine;
    this.name = name;
    this.permits = permits;
    this.options = options;
    this.one = new ClientLock(engine, name, options, UnitRequest.permits(permits, 1));
  }

  private ClientLock of(int wanted) {
    if (wanted < 1 || wanted > permits) {
      throw new IllegalArgumentException(
          "permits must be 1 to the semaphore's " + permits + ": " + wanted);
    }
    return wanted == 1
        ? one
        : new ClientLock(engine, name, options, UnitRequest.permits(permits, wanted));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int permits() {
    return permits;
  }

  @Override
  public LockOptions options() {
    return options;
  }

  @Override
  public Optional<Lease> tryAcquire(int permits) {
    return of(permits).tryAcquire();
  }

  @Override
  public Lease acquire(int permits, Duration wait) throws InterruptedException {
    return of(permits).acquire(wait);
  }

  @Override
  public Optional<Lease> tryAcquire(int permits, Duration wait) throws InterruptedException {
    return of(permits).tryAcquire(wait);
  }

  @Override
  public void run(Duration wait, Runnable task) throws InterruptedException {
    one.run(wait, task);
  }

  @Override
  public <T> T call(Duration wait, Callable<T> task) throws Exception {
    return one.call(wait, task);
  }

  @Override
  public LockStats stats() {
    return one.stats();
  }

  @Override
  public AsyncSemaphore async() {
    return new View();
  }

  private final class View implements AsyncSemaphore {
    @Override
    public CompletionStage<Optional<Lease>> tryAcquire(int permits) {
      return of(permits).async().tryAcquire();
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquire(int permits, Duration wait) {
      return of(permits).async().tryAcquire(wait);
    }

    @Override
    public CompletionStage<Lease> acquire(int permits, Duration wait) {
      return of(permits).async().acquire(wait);
    }

    @Override
    public CompletionStage<DistributedSemaphore> resize(int permits) {
      return engine
          .resizeLater(name, GrantEngine.checkPermits(permits))
          .thenApply(before -> new ClientSemaphore(engine, name, permits, options));
    }

    @Override
    public CompletionStage<PermitInfo> info() {
      return engine.inspect(name);
    }
  }

  @Override
  public DistributedSemaphore resize(int permits) {
    engine.resize(name, GrantEngine.checkPermits(permits));
    return new ClientSemaphore(engine, name, permits, options);
  }

  @Override
  public PermitInfo info() {
    return engine.permitInfo(name);
  }

  @Override
  public String toString() {
    return "Semaphore[" + Names.quoted(name) + ", " + permits + " permits]";
  }
}
