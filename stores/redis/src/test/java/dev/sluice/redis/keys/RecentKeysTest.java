package dev.sluice.redis.keys;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A client that always uses new names keeps a constant number of them. */
class RecentKeysTest {
  private static final int MAX = RecentKeys.MAX_NAMES;

  @Test
  void oneMoreNameThanThereIsRoomForReplacesTheOldestOne() {
    LockKeys keys = LockKeys.ofLocks(KeySpace.PLAIN);
    List<CallKeys> first = IntStream.range(0, MAX).mapToObj(i -> keys.of("lock-" + i)).toList();

    keys.of("one more");

    assertThat(keys.of("lock-1")).isSameAs(first.get(1));
    assertThat(keys.of("lock-" + (MAX - 1))).isSameAs(first.get(MAX - 1));
    assertThat(keys.of("lock-0")).isNotSameAs(first.get(0));
    assertThat(keys.of("lock-0").key(1)).isEqualTo("sl:{lock-0}:lock");
  }

  @Test
  void theNumberOfNamesStaysTheSameOnceThereIsNoMoreRoom() {
    RecentKeys<String, String> keys = new RecentKeys<>(name -> "{" + name + "}");
    IntStream.range(0, MAX).forEach(i -> keys.of("lock-" + i));

    for (int i = MAX; i < 3 * MAX; i++) {
      assertThat(keys.of("lock-" + i)).isEqualTo("{lock-" + i + "}");
      assertThat(keys.size()).isEqualTo(MAX);
    }
  }

  @Test
  void manyThreadsStayWithinTheRoom() throws Exception {
    RecentKeys<Integer, String> keys = new RecentKeys<>(name -> "key " + name);
    ExecutorService pool = Executors.newFixedThreadPool(4);
    try {
      List<Future<?>> done = new ArrayList<>();
      for (int thread = 0; thread < 4; thread++) {
        int from = thread * MAX;
        done.add(
            pool.submit(
                () -> {
                  for (int i = 0; i < 2 * MAX; i++) { // half of the names are another thread's too
                    assertThat(keys.of(from + i)).isEqualTo("key " + (from + i));
                  }
                }));
      }
      for (Future<?> each : done) {
        each.get();
      }
    } finally {
      pool.shutdownNow();
    }

    keys.of(-1);

    assertThat(keys.size()).isLessThanOrEqualTo(MAX);
  }
}
