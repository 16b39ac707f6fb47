package dev.sluice.cache;

import dev.sluice.Sluice;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.spi.Backend;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A program of {@link VirtualThreadsOfCacheTest}: a crowd of virtual threads on few carriers. */
final class CacheCrowd {
  private static final int THREADS = 10_000;
  private static final int KEYS = 100;

  private CacheCrowd() {}

  /** Prints {@code done} when nobody is stuck. */
  public static void main(String[] args) throws Exception {
    ExecutorService answers = Executors.newFixedThreadPool(2);
    ExecutorService virtual = // of JDK 21; this is compiled for 17
        (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    Backend store = (Backend) answering(answers, Backend.class, new MemoryBackend());
    try (Sluice sluice = Sluice.builder().backend(store).build()) {
      GuardedCache<String, String> cache =
          GuardedCache.create(
              sluice,
              "words",
              CacheOptions.of(String.class, Codec.utf8()).deadline(Duration.ofMinutes(1)),
              CacheCrowd::load);
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int number = i;
        all.add(
            virtual.submit(
                () -> {
                  String key = "key " + number % KEYS;
                  if (!cache.get(key).equals(Optional.of(key))) {
                    throw new AssertionError(key);
                  }
                  if (number % 7 == 0) {
                    cache.invalidate(key);
                  }
                  return cache.get(key);
                }));
      }
      for (Future<?> each : all) {
        each.get();
      }
      System.out.println("done");
    }
    virtual.shutdown();
    answers.shutdown();
  }

  private static String load(String key) {
    try {
      Thread.sleep(2);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    return key;
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
}
