package dev.sluice.internal.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.memory.ManualTime;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The keys with the most requests, while a caller reads them. */
class HotKeysTest {
  private final ManualTime time = new ManualTime();
  private final HotKeys keys = new HotKeys(time);

  private void count(String key, int times) {
    for (int i = 0; i < times; i++) {
      keys.count(key);
    }
  }

  @Test
  void nothingIsCountedUntilSomebodyAsks() {
    count("a", 5);
    assertThat(keys.take()).isEmpty();
    count("a", 2);
    assertThat(keys.take()).containsExactly(Map.entry("a", 2L));
    assertThat(keys.take()).as("counted anew").isEmpty();
  }

  @Test
  void theBusiestComeFirstAndNoMoreThanTen() {
    keys.take();
    for (int i = 1; i <= 30; i++) {
      count("k" + i, i);
    }
    assertThat(keys.take().keySet())
        .containsExactly("k30", "k29", "k28", "k27", "k26", "k25", "k24", "k23", "k22", "k21");
  }

  @Test
  void ofVeryManyKeysTheBusyOnesAreCounted() {
    keys.take();
    for (int i = 0; i < 100_000; i++) {
      keys.count("rare " + i);
      if (i % 10 == 0) {
        keys.count("busy");
      }
    }
    assertThat(keys.take()).containsEntry("busy", 10_000L).hasSize(10);
  }

  @Test
  void countingEndsWhenNobodyAsksAnyMore() {
    keys.take();
    for (int i = 0; i < 1000; i++) {
      keys.count("k" + i);
    }
    time.advance(Duration.ofSeconds(11));
    keys.count("one more");
    count("a", 3);
    assertThat(keys.take()).as("it had ended").isEmpty();
  }
}
