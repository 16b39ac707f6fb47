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
    effects.decide(
        () -> {
          effects.add(effect);
          return true;
        });
  }

  /** What a store does that answers at once, and has the next request behind each answer. */
  private void answer() {
    effects.react(
        () -> {
          if (++answers < MANY) {
            effects.add(this::answer);
          }
        });
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
          effects.react(() -> effects.add(() -> done.add("follows")));
          done.add("asked");
        });

    assertThat(done).containsExactly("asked", "follows");
  }

  @Test
  void effectsOfOneDecisionRunBeforeThoseThatTheyAdd() {
    effects.decide(
        () -> {
          effects.add(() -> done.add("first"));
          effects.add(
              () -> {
                call(() -> done.add("added"));
                done.add("second");
              });
          effects.add(() -> done.add("third"));
          effects.add(() -> done.add("fourth"));
          return true;
        });

    assertThat(done).containsExactly("first", "third", "fourth", "added", "second");
  }
}
