package dev.sluice.bench.inprocess;

import dev.sluice.Sluice;
import dev.sluice.lock.DistributedLock;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** An uncontended lock, acquired and released. */
@State(Scope.Benchmark)
public class LockCost {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final Sluice client = Sluice.connect("memory:");
  private final DistributedLock lock = client.lock("bench");
  private final ReentrantLock local = new ReentrantLock();

  @Benchmark
  public boolean sluice() throws InterruptedException {
    return lock.acquire(PATIENCE).release();
  }

  @Benchmark
  public boolean floor() {
    if (!local.tryLock()) {
      return false;
    }
    local.unlock();
    return true;
  }

  @TearDown
  public void close() {
    client.close();
  }
}
