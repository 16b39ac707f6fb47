package dev.sluice.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.guard.Schedule.Access;
import dev.sluice.guard.Schedule.Outcome;
import java.util.Arrays;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Every order of the steps of a few sections, and many orders of many. */
class ScheduleTest {
  private static final int STEPS = 3;

  /** Calls back with every order of three steps of each section: 1680 orders of three sections. */
  private static int everyOrder(int sections, Consumer<int[]> run) {
    return every(new int[sections], new int[STEPS * sections], 0, run);
  }

  private static int every(int[] taken, int[] order, int place, Consumer<int[]> run) {
    if (place == order.length) {
      run.accept(order);
      return 1;
    }
    int runs = 0;
    for (int who = 0; who < taken.length; who++) {
      if (taken[who] < STEPS) {
        taken[who]++;
        order[place] = who;
        runs += every(taken, order, place + 1, run);
        taken[who]--;
      }
    }
    return runs;
  }

  private static int[] randomOrder(int sections, Random random) {
    int[] order = new int[STEPS * sections];
    for (int i = 0; i < order.length; i++) {
      order[i] = i / STEPS;
    }
    for (int i = order.length - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      int kept = order[i];
      order[i] = order[other];
      order[other] = kept;
    }
    return order;
  }

  private static void holds(int[] order) {
    Outcome outcome = Schedule.run(Access.GUARDED, order);
    assertThat(outcome.lostAnUpdate()).as("%s: %s", Arrays.toString(order), outcome).isFalse();
    assertThat(outcome.wentBack()).as("%s: %s", Arrays.toString(order), outcome).isFalse();
    assertThat(outcome.written()).as("the last holder gets through").isPositive();
  }

  @Test
  void noUpdateIsLostInAnyOrderWhenReadsRaiseTheGuard() {
    assertThat(everyOrder(2, ScheduleTest::holds)).isEqualTo(20);
    assertThat(everyOrder(3, ScheduleTest::holds)).isEqualTo(1680);
  }

  @Test
  void noUpdateIsLostInRandomOrdersOfManySections() {
    long seed = Long.getLong("sluice.guard.seed", 20261121);
    Random random = new Random(seed);
    for (int i = 0; i < 5000; i++) {
      holds(randomOrder(2 + random.nextInt(12), random));
    }
  }

  @Test
  void aGuardOnTheWriteAloneLosesUpdates() {
    int[] lost = new int[1];
    int[] back = new int[1];
    everyOrder(
        2,
        order -> {
          Outcome outcome = Schedule.run(Access.GUARDED_WRITE_ONLY, order);
          lost[0] += outcome.lostAnUpdate() ? 1 : 0;
          back[0] += outcome.wentBack() ? 1 : 0;
        });
    assertThat(lost[0]).as("orders of two sections that lose an update").isPositive();
    assertThat(back[0]).as("writes are in order all the same").isZero();
    // granted 1, granted 2, both read, 1 writes, 2 writes
    assertThat(Schedule.run(Access.GUARDED_WRITE_ONLY, 0, 1, 0, 1, 0, 1).lostAnUpdate()).isTrue();
  }

  @Test
  void withoutAGuardTheRegisterGoesBack() {
    // granted 1, read by 1, granted 2, read and written by 2, written by 1
    Outcome outcome = Schedule.run(Access.BARE, 0, 0, 1, 1, 1, 0);
    assertThat(outcome.lostAnUpdate()).isTrue();
    assertThat(outcome.wentBack()).isTrue();
    Outcome guarded = Schedule.run(Access.GUARDED, 0, 0, 1, 1, 1, 0);
    assertThat(guarded.writers()).containsExactly(2L);
    assertThat(guarded.register()).isEqualTo(1);
  }
}
