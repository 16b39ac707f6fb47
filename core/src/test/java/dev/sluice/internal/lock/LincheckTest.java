package dev.sluice.internal.lock;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.PermitInfo;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.spi.Backend;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.RenewReply;
import dev.sluice.spi.Scheduler;
import dev.sluice.spi.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.junit.jupiter.api.Test;

/** Interleavings of threads searched: the local line and hand-off behave like one lock. */
public class LincheckTest {
  private static final LockOptions STICKY =
      LockOptions.fixed(Duration.ofMinutes(10)).sticky(Duration.ofMinutes(5));

  /**
   * Every switch between two threads inside the coordinator; what the coordinator stands on counts
   * as one step.
   */
  @Test
  void oneProcessIsOneLockInEveryInterleaving() {
    new ModelCheckingOptions()
        .iterations(2)
        .invocationsPerIteration(60)
        .threads(2)
        .actorsPerThread(2)
        .actorsBefore(0)
        .actorsAfter(0)
        .minimizeFailedScenario(false)
        // classes are rewritten when they are first met, which a busy machine takes long for
        .invocationTimeout$lincheck(60_000)
        .sequentialSpecification(Register.class)
        .addGuarantee(
            ManagedStrategyGuaranteeKt.forClasses(LincheckTest::isBelowTheCell)
                .allMethods()
                .ignore())
        .check(OneProcess.class);
  }

  private static boolean isBelowTheCell(String name) {
    return name.startsWith("dev.sluice.memory.")
        || name.startsWith("dev.sluice.spi.")
        || name.startsWith("dev.sluice.lock.")
        || name.startsWith("dev.sluice.Sluice")
        || name.equals("dev.sluice.internal.call.TimerQueue");
  }

  @Test
  void oneProcessIsOneLock() {
    stress().check(OneProcess.class);
  }

  @Test
  void twoProcessesAreOneLock() {
    stress().check(TwoProcesses.class);
  }

  @Test
  void waitingThreadsTakeTurns() {
    new StressOptions()
        .iterations(5)
        .invocationsPerIteration(200)
        .threads(3)
        .actorsPerThread(3)
        .minimizeFailedScenario(false)
        .sequentialSpecification(Counter.class)
        .check(TakingTurns.class);
  }

  @Test
  void storeThatChecksThenActsIsCaught() {
    assertThatThrownBy(() -> stress().check(OverARacyStore.class))
        .isInstanceOf(LincheckAssertionError.class)
        .hasMessageContaining("take");
  }

  private static StressOptions stress() {
    return new StressOptions()
        .iterations(10)
        .invocationsPerIteration(500)
        .threads(3)
        .actorsPerThread(4)
        .minimizeFailedScenario(false)
        .sequentialSpecification(Register.class);
  }

  /** The specification of a lock. */
  public static class Register {
    private int holder = -1;

    public boolean take(int thread) {
      if (holder != -1) {
        return false;
      }
      holder = thread;
      return true;
    }

    public boolean give(int thread) {
      if (holder != thread) {
        return false;
      }
      holder = -1;
      return true;
    }
  }

  /** The specification of a counter. */
  public static class Counter {
    private int value;

    public int next() {
      return ++value;
    }
  }

  private abstract static class Locks {
    private final Lease[] mine = new Lease[8];
    private long highest;

    abstract DistributedLock lock(int thread);

    boolean takeFor(int thread) {
      if (mine[thread] != null) {
        return false;
      }
      Lease lease = lock(thread).tryAcquire().orElse(null);
      if (lease == null) {
        return false;
      }
      if (lease.token() <= highest) { // under the lock
        throw new IllegalStateException("token " + lease.token() + " after " + highest);
      }
      highest = lease.token();
      mine[thread] = lease;
      return true;
    }

    boolean giveFor(int thread) {
      Lease lease = mine[thread];
      mine[thread] = null;
      return lease != null && lease.release();
    }
  }

  /** Time that never moves; whoever parks is woken by another thread. */
  private static final class StandingTime implements Ticker, Scheduler {
    @Override
    public long nanos() {
      return 0;
    }

    long storeMicros() {
      return 1_000_000_000_000L;
    }

    @Override
    public Runnable schedule(Runnable task, long delayNanos) {
      return () -> {};
    }

    @Override
    public void park(Object blocker, long nanos) {
      LockSupport.park(blocker);
    }
  }

  private static DistributedLock client(
      Backend store, StandingTime time, long seed, LockOptions options) {
    return Sluice.builder()
        .backend(store)
        .time(time, time)
        .random(new SplittableRandom(seed))
        .callbacks(Runnable::run)
        .build()
        .lock("seat", options);
  }

  /** Threads of one process; the grant stays in it. */
  @Param(name = "thread", gen = ThreadIdGen.class)
  public static class OneProcess extends Locks {
    private final StandingTime time = new StandingTime();
    private final DistributedLock lock =
        client(new MemoryBackend(time::storeMicros), time, 1, STICKY);

    @Override
    DistributedLock lock(int thread) {
      return lock;
    }

    @Operation
    public boolean take(@Param(name = "thread") int thread) {
      return takeFor(thread);
    }

    @Operation
    public boolean give(@Param(name = "thread") int thread) {
      return giveFor(thread);
    }
  }

  /** Threads of two processes over one store. */
  @Param(name = "thread", gen = ThreadIdGen.class)
  public static class TwoProcesses extends Locks {
    private final StandingTime time = new StandingTime();
    private final MemoryBackend store = new MemoryBackend(time::storeMicros);
    private final LockOptions options = LockOptions.fixed(Duration.ofMinutes(10));
    private final DistributedLock even = client(store, time, 1, options);
    private final DistributedLock odd = client(store, time, 2, options);

    @Override
    DistributedLock lock(int thread) {
      return thread % 2 == 0 ? even : odd;
    }

    @Operation
    public boolean take(@Param(name = "thread") int thread) {
      return takeFor(thread);
    }

    @Operation
    public boolean give(@Param(name = "thread") int thread) {
      return giveFor(thread);
    }
  }

  /** A plain counter, under the lock: blocking, waking, overtaking. */
  public static class TakingTurns {
    private final StandingTime time = new StandingTime();
    private final DistributedLock lock =
        client(new MemoryBackend(time::storeMicros), time, 1, STICKY);
    private int value;

    @Operation
    public int next() throws InterruptedException {
      try (Lease lease = lock.acquire(Duration.ofSeconds(30))) {
        lease.checkHeld();
        return ++value;
      }
    }
  }

  /** The planted fault: a store that looks, and takes a moment later. */
  @Param(name = "thread", gen = ThreadIdGen.class)
  public static class OverARacyStore extends Locks {
    private final StandingTime time = new StandingTime();
    private final RacyStore store = new RacyStore();
    private final LockOptions options = LockOptions.fixed(Duration.ofMinutes(10));
    private final DistributedLock even = client(store, time, 1, options);
    private final DistributedLock odd = client(store, time, 2, options);

    @Override
    DistributedLock lock(int thread) {
      return thread % 2 == 0 ? even : odd;
    }

    @Operation
    public boolean take(@Param(name = "thread") int thread) {
      return takeFor(thread);
    }

    @Operation
    public boolean give(@Param(name = "thread") int thread) {
      return giveFor(thread);
    }
  }

  private static final class RacyStore implements Backend, GrantBackend {
    private volatile String holder = "";
    private volatile long token;

    @Override
    public CompletionStage<GrantReply> acquire(GrantRequest request) {
      if (!holder.isEmpty() && !holder.equals(request.client())) {
        return CompletableFuture.completedFuture(new GrantReply.Busy(1_000_000));
      }
      Thread.yield(); // somebody else may look, too
      holder = request.client();
      token++;
      return CompletableFuture.completedFuture(
          new GrantReply.Granted(token, 1, request.ttlMicros(), 0));
    }

    @Override
    public CompletionStage<Boolean> release(GrantAttempt attempt, int keep) {
      holder = "";
      return CompletableFuture.completedFuture(true);
    }

    @Override
    public CompletionStage<RenewReply> renew(GrantAttempt attempt, long ttlMicros) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<PermitInfo> inspect(String name) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<List<String>> names(int limit) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Void> listen(String client, Consumer<LockMessage> listener) {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void unlisten(String client) {}

    @Override
    public String describe() {
      return "a racy store";
    }

    @Override
    public GrantBackend locks() {
      return this;
    }

    @Override
    public void close() {}
  }
}
