package dev.sluice.testkit;

import dev.sluice.SluiceBuilder;
import dev.sluice.memory.ManualTime;
import dev.sluice.spi.Backend;
import dev.sluice.spi.Scheduler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.NavigableSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

/**
 * The time of a real store and its clients. It stands still until a test moves it, and stops at
 * each timer: the store answers what the clients ask before time moves on.
 *
 * <p>A message may be sent before the store knows its receiver, and then costs a poll. So when a
 * test has not moved time for a second, time runs on by itself, no faster than the JVM's.
 *
 * <p>Safe for use by many threads.
 *
 * @since 0.1
 */
public final class HeldTime implements Scheduler, AutoCloseable {
  private static final long MAX_CALL_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long MAX_STILL_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final Duration STEP = Duration.ofMillis(10);

  /** A bound for threads of a test that call without end. */
  private static final int MAX_ROUNDS = 20;

  private final ManualTime time = new ManualTime();
  private final LongConsumer storeClock;
  private final NavigableSet<Long> due = new ConcurrentSkipListSet<>();
  private final Set<CompletableFuture<?>> underWay = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean open = new AtomicBoolean();
  private long movedAt = System.nanoTime(); // guarded by this

  /** The clock of a store that returns its time through {@link #storeMicros}. */
  public HeldTime() {
    this(micros -> {});
  }

  /**
   * The time of a store with its own clock.
   *
   * @param storeClock sets it, to microseconds since the epoch, before anything else notices
   */
  public HeldTime(LongConsumer storeClock) {
    this.storeClock = storeClock;
    storeClock.accept(time.storeMicros());
  }

  /**
   * Gives a client the test's clock.
   *
   * @param builder settings of the client
   */
  public void configure(SluiceBuilder builder) {
    builder.time(time, this);
  }

  /** {@return nanoseconds from some moment} */
  public long nanos() {
    return time.nanos();
  }

  /** {@return the store's clock: microseconds since the epoch} */
  public long storeMicros() {
    return time.storeMicros();
  }

  /**
   * Moves time.
   *
   * @param span how much
   */
  public synchronized void pass(Duration span) {
    move(span);
    movedAt = System.nanoTime();
  }

  private void run() {
    while (open.get()) {
      LockSupport.parkNanos(STEP.toNanos());
      runOn();
    }
  }

  private synchronized void runOn() {
    if (open.get() && System.nanoTime() - movedAt > MAX_STILL_NANOS) {
      move(STEP);
    }
  }

  private void move(Duration span) {
    long end = time.nanos() + span.toNanos();
    settle();
    while (!due.isEmpty() && due.first() <= end) {
      moveTo(due.pollFirst());
    }
    moveTo(end);
  }

  private void moveTo(long nanos) {
    long by = Math.max(0, nanos - time.nanos());
    storeClock.accept(time.storeMicros() + by / 1000);
    time.advance(Duration.ofNanos(by));
    settle();
  }

  /** Waits until the calls of clients are answered, and those that follow from the answers. */
  private void settle() {
    long end = System.nanoTime() + MAX_CALL_NANOS;
    for (int i = 0; i < MAX_ROUNDS && !underWay.isEmpty(); i++) {
      CompletableFuture.allOf(underWay.toArray(CompletableFuture<?>[]::new))
          .completeOnTimeout(null, Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS)
          .join();
    }
  }

  @Override
  public Runnable schedule(Runnable task, long delayNanos) {
    Runnable cancel = time.schedule(task, delayNanos);
    stopAfter(delayNanos);
    return cancel;
  }

  @Override
  public void park(Object blocker, long nanos) {
    stopAfter(nanos);
    time.park(blocker, nanos);
  }

  private void stopAfter(long nanos) {
    long at = time.nanos() + Math.max(0, nanos);
    if (at >= 0) { // negative where a thread waits without end
      due.add(at);
    }
  }

  /** Waits for calls under way, so that the next test does not find their writes. */
  @Override
  public void close() {
    open.set(false);
    synchronized (this) { // time does not run on any more
      settle();
    }
  }

  /**
   * A backend whose calls must end before time moves.
   *
   * @param backend a connection to the store
   * @return the same, watched
   */
  public Backend watched(Backend backend) {
    if (open.compareAndSet(false, true)) {
      Thread runner = new Thread(this::run, "held-time");
      runner.setDaemon(true);
      runner.start();
    }
    return (Backend) watched(Backend.class, backend);
  }

  private Object watched(Class<?> type, Object target) {
    return Proxy.newProxyInstance(
        type.getClassLoader(),
        new Class<?>[] {type},
        (proxy, method, arguments) -> {
          Object result;
          try {
            result = method.invoke(target, arguments);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
          if (result instanceof CompletionStage<?> stage) {
            return watched(stage);
          }
          Class<?> verbs = method.getReturnType();
          return verbs.getPackage() == Backend.class.getPackage() ? watched(verbs, result) : result;
        });
  }

  /** A call has ended when the client has handled the answer. */
  private <T> CompletionStage<T> watched(CompletionStage<T> stage) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    CompletableFuture<Void> end = new CompletableFuture<>();
    underWay.add(end);
    stage.whenComplete(
        (value, failure) -> {
          if (failure == null) {
            answer.complete(value);
          } else {
            answer.completeExceptionally(failure);
          }
          underWay.remove(end);
          end.complete(null);
        });
    return answer;
  }
}
