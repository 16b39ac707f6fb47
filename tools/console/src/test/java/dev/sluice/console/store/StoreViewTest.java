package dev.sluice.console.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.ForeignDataException;
import dev.sluice.NamePage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StoreViewTest {
  private long now;
  private Duration walk = Duration.ZERO;
  private int walks;
  private final StoreView.Names names =
      new StoreView.Names(
          most -> {
            walks++;
            pass(walk);
            return new NamePage(List.of("name-" + walks), false);
          },
          () -> now);

  private void pass(Duration time) {
    now += time.toNanos();
  }

  @Test
  void namesAreLookedForAgainAfterTwoSeconds() {
    assertThat(names.now().list()).containsExactly("name-1");
    pass(Duration.ofMillis(1_999));
    assertThat(names.now().list()).containsExactly("name-1");
    pass(Duration.ofMillis(1));
    assertThat(names.now().list()).containsExactly("name-2");
  }

  @Test
  void aStoreThatWalksForLongIsAskedSeldom() {
    walk = Duration.ofSeconds(1);
    names.now();
    pass(Duration.ofSeconds(2));
    names.now();
    pass(Duration.ofMillis(19_999));
    assertThat(names.now().list()).containsExactly("name-2");
    pass(Duration.ofMillis(1));
    assertThat(names.now().list()).containsExactly("name-3");
  }

  @Test
  void oneLongPauseHidesNewNamesNoLonger() {
    names.now();
    for (int i = 2; i <= 4; i++) {
      pass(Duration.ofSeconds(2));
      walk = i == 3 ? Duration.ofSeconds(30) : Duration.ofMillis(1);
      assertThat(names.now().list()).containsExactly("name-" + i);
    }
  }

  /** A store of many names, of which some are in demand and some hold what is not ours. */
  private final class Crowd {
    final List<String> all = IntStream.range(0, 3_000).mapToObj(i -> "n" + i).toList();
    final Set<String> wanted = new HashSet<>(Set.of("n2999"));
    final Set<String> foreign = new HashSet<>(Set.of("n7"));
    final List<String> looks = new ArrayList<>();
    final StoreView.Sweep<String> sweep =
        new StoreView.Sweep<>(
            new StoreView.Names(most -> new NamePage(all, false), () -> now),
            this::look,
            name -> name,
            name -> wanted.contains(name) ? 1 : 0);

    private List<String> look(List<String> some) {
      for (String each : some) {
        if (foreign.contains(each)) {
          throw new ForeignDataException("not ours: " + each, new Exception());
        }
      }
      looks.addAll(some);
      return some;
    }

    List<String> looksOf(Runnable step) {
      looks.clear();
      step.run();
      return List.copyOf(looks);
    }
  }

  @Test
  void thoseInDemandAreLookedAtEachTimeAndTheOthersInTurn() {
    Crowd crowd = new Crowd();
    crowd.sweep.now();
    assertThat(crowd.sweep.now().list()).hasSize(2_999).doesNotContain("n7");
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < 16; i++) {
      List<String> looks = crowd.looksOf(crowd.sweep::now);
      assertThat(looks).contains("n2999").hasSizeLessThanOrEqualTo(401);
      seen.addAll(looks);
    }
    assertThat(seen).hasSize(2_999);
    crowd.foreign.clear();
    pass(Duration.ofSeconds(2));
    crowd.sweep.now(); // the names again, so the odd one has its chance
    assertThat(crowd.sweep.now().list()).contains("n7");
  }
}
