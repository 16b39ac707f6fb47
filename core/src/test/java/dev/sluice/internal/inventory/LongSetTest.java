package dev.sluice.internal.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A set of numbers, compared with the JDK's. */
class LongSetTest {

  @Test
  void hasWhatWasAdded() {
    Random random = new Random(5);
    LongSet set = new LongSet();
    Set<Long> model = new HashSet<>();
    assertThat(set.contains(0)).isFalse();
    for (int i = 0; i < 20_000; i++) {
      long number = i % 3 == 0 ? i : random.nextLong();
      number = i % 7 == 0 ? number << 32 : number;
      set.add(number);
      model.add(number);
      assertThat(set.contains(number)).isTrue();
    }
    assertThat(set.size()).isEqualTo(model.size());
    model.forEach(number -> assertThat(set.contains(number)).isTrue());
    for (int i = 0; i < 20_000; i++) {
      long number = random.nextLong();
      assertThat(set.contains(number)).isEqualTo(model.contains(number));
    }
  }

  @Test
  void textsThatAreAlikeHaveDifferentNumbers() {
    Set<Long> numbers = new HashSet<>();
    for (int i = 0; i < 100_000; i++) {
      numbers.add(LongSet.hash("user/" + i));
    }
    assertThat(numbers).hasSize(100_000);
    assertThat(LongSet.hash("ab")).isNotEqualTo(LongSet.hash("ba"));
  }
}
