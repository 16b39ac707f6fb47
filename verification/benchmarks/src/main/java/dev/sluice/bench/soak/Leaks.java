package dev.sluice.bench.soak;

import dev.sluice.Sluice;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/** Carries out what was planted, until it is closed. Not safe for use by several threads. */
final class Leaks implements AutoCloseable {
  private static final int KEYS = 50;
  private static final int HEAP_BYTES = 100_000;

  private final Set<PlantedLeak> plants;
  private final String uri;
  private final String prefix;
  private final RedisCommands<String, String> redis;
  private final CountDownLatch end = new CountDownLatch(1);
  private final List<byte[]> reachable = new ArrayList<>();
  private final List<Sluice> open = new ArrayList<>();
  private int ticks;

  Leaks(Set<PlantedLeak> plants, String uri, String prefix, RedisCommands<String, String> redis) {
    this.plants = plants;
    this.uri = uri;
    this.prefix = prefix;
    this.redis = redis;
  }

  /** To be called ten times a second. */
  void tick() {
    ticks++;
    if (plants.contains(PlantedLeak.THREADS)) {
      Thread thread = new Thread(this::await, "soak-planted");
      thread.setDaemon(true);
      thread.start();
    }
    if (plants.contains(PlantedLeak.KEYS)) {
      Map<String, String> keys = new HashMap<>();
      for (int i = 0; i < KEYS; i++) {
        keys.put("{" + prefix + "planted}:planted:" + ticks + ":" + i, "x");
      }
      redis.mset(keys);
    }
    if (plants.contains(PlantedLeak.HEAP)) {
      reachable.add(new byte[HEAP_BYTES]);
    }
    if (plants.contains(PlantedLeak.CONNECTIONS) && ticks % 10 == 0) {
      open.add(Sluice.connect(uri));
    }
  }

  private void await() {
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    end.countDown();
    open.forEach(Sluice::close);
    open.clear();
    reachable.clear();
  }
}
