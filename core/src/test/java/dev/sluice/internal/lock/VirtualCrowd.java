package dev.sluice.internal.lock;

import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.DistributedSemaphore;
import dev.sluice.lock.Lease;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.spi.Backend;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** A program of {@link VirtualThreadsTest}: a crowd of virtual threads on few carriers. */
final class VirtualCrowd {
  private static final Duration SHORT_WAIT = Duration.ofMillis(50);
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final int TURNS = 200;

  private interface Turn {
    void take(int number) throws Exception;
  }

  private VirtualCrowd() {}

  /** Prints {@code done} when nobody is stuck. */
  public static void main(String[] args) throws Exception {
    ExecutorService answers = Executors.newFixedThreadPool(2);
    Backend store = (Backend) answering(answers, Backend.class, new MemoryBackend());
    try (Sluice sluice = Sluice.builder().backend(store).build()) {
      DistributedSemaphore few = sluice.semaphore("few", 3);
      crowd(
          1_000,
          TURNS,
          number -> {
            try (Lease lease = few.acquire(SHORT_WAIT)) {
              Thread.sleep(2);
            } catch (SluiceException e) {
              // most do not get one in time: it is the end of their wait that is looked at
            }
          });
      DistributedLock one = sluice.lock("one");
      RateLimiter limiter = sluice.rateLimiter("limited", Limit.parse("token-bucket 1000000/s"));
      AtomicInteger counted = new AtomicInteger();
      crowd(
          10_000,
          1,
          number -> {
            limiter.tryAcquire("key " + number % 10);
            one.run(PATIENCE, () -> counted.setPlain(counted.getPlain() + 1));
          });
      System.out.println(counted.get() == 10_000 ? "done" : "exclusion: " + counted.get());
    }
    answers.shutdown();
  }

  /** A store whose answers come on threads of their own, as over a network. */
  private static Object answering(Executor answers, Class<?> part, Object store) {
    return Proxy.newProxyInstance(
        part.getClassLoader(),
        new Class<?>[] {part},
        (proxy, method, arguments) -> {
          Object result = method.invoke(store, arguments);
          if (result instanceof CompletionStage<?> stage) {
            return stage.thenApplyAsync(answer -> answer, answers);
          }
          Class<?> type = method.getReturnType();
          return type.getPackage() == Backend.class.getPackage() && type.isInterface()
              ? answering(answers, type, result)
              : result;
        });
  }

  private static void crowd(int threads, int turns, Turn turn) throws Exception {
    ExecutorService virtual = // of JDK 21; this is compiled for 17
        (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    List<Future<?>> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int number = i;
      all.add(
          virtual.submit(
              () -> {
                for (int j = 0; j < turns; j++) {
                  turn.take(number);
                }
                return null;
              }));
    }
    for (Future<?> each : all) {
      each.get();
    }
    virtual.shutdown();
  }
}
