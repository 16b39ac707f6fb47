package dev.sluice.internal.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EffectsTest {
  private static final int MANY = 200_000;

  private final Object monitor = new Object();
  private final Effects effects = new Effects(monitor);
  private final List<String> done = new ArrayList<>();
  private int answers;

  /** What a caller does: adds, and runs. */
  private void call(Runnable effect) {
    boolean act;
    synchronized (monitor) {
      effects.add(effect);
      act = effects.claim();
    }
    effects.run(act);
  }

  /** What a store does that answers at once, and has the next request behind each answer. */
  private void answer() {
    boolean act;
    synchronized (monitor) {
      if (++answers < MANY) {
        effects.add(this::answer);
      }
      act = effects.claimLater();
    }
    effects.run(act);
  }

  @Test
  void answersWithoutEndDoNotFillTheStack() {
    call(this::answer);

    assertThat(answers).isEqualTo(MANY);
  }

  @Test
  void whoComesWithinAnEffectMayWaitForHisOwn() {
    call(
        () -> {
          call(() -> done.add("inner"));
          done.add("outer");
        });

    assertThat(done).containsExactly("inner", "outer");
  }

  @Test
  void whatFollowsFromAnAnswerComesAfterTheEffectThatAsked() {
    call(
        () -> {
          boolean act;
          synchronized (monitor) {
            effects.add(() -> done.add("follows"));
            act = effects.claimLater();
          }
          effects.run(act);
          done.add("asked");
        });

    assertThat(done).containsExactly("asked", "follows");
  }
}
