package dev.sluice.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SubscriptionProbeTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final Deque<Runnable> planned = new ArrayDeque<>();
  private final List<String> done = new ArrayList<>();
  private long now = Long.MAX_VALUE - 5 * SECOND; // nanoTime may overflow
  private boolean isOpen = true;
  private boolean isSilent;
  private final SubscriptionProbe probe = probe(Duration.ofSeconds(2));

  private SubscriptionProbe probe(Duration requestTimeout) {
    SubscriptionProbe made =
        new SubscriptionProbe(
            (nanos, task) -> {
              assertThat(nanos).isEqualTo(SECOND);
              planned.add(task);
            },
            () -> now,
            requestTimeout);
    return made;
  }

  private void watch(SubscriptionProbe watching) {
    watching.watch(
        new SubscriptionProbe.Subscription() {
          @Override
          public boolean isOpen() {
            return isOpen;
          }

          @Override
          public void ping() {
            done.add("ping");
            if (!isSilent) {
              watching.heard();
            }
          }

          @Override
          public void giveUp() {
            done.add("give up");
          }
        });
  }

  private List<String> after(int seconds) {
    done.clear();
    for (int i = 0; i < seconds; i++) {
      now += SECOND;
      Runnable task = planned.poll();
      if (task != null) {
        task.run();
      }
      assertThat(planned).hasSizeLessThan(2);
    }
    return List.copyOf(done);
  }

  private static void expect(SubscriptionProbe on, long seconds) {
    on.expect(TimeUnit.SECONDS.toMicros(seconds));
  }

  @Test
  void whatIsOpenIsNotProbedWhileNothingIsExpected() {
    watch(probe);
    assertThat(planned).isEmpty();
  }

  @Test
  void aPingIsSentEachSecondForAsLongAsMessagesMatter() {
    watch(probe);
    expect(probe, 10);
    expect(probe, 1); // takes nothing away
    assertThat(after(8)).hasSize(8).containsOnly("ping");
    assertThat(after(10)).hasSizeLessThan(4);
    assertThat(planned).isEmpty();
    expect(probe, 10);
    assertThat(after(2)).containsExactly("ping", "ping");
  }

  @Test
  void whatIsExpectedBeforeTheConnectionOpensCounts() {
    expect(probe, 10);
    assertThat(planned).isEmpty();
    watch(probe);
    assertThat(after(1)).containsExactly("ping");
  }

  @Test
  void silenceOfThreeSecondsEndsTheConnectionOnce() {
    watch(probe);
    expect(probe, 100);
    isSilent = true;
    assertThat(after(3)).containsExactly("ping");
    assertThat(after(1)).containsExactly("give up");
    isSilent = false;
    assertThat(after(5)).hasSize(5).containsOnly("ping");
  }

  @Test
  void aServerThatMayTakeLongerIsGivenThatTime() {
    SubscriptionProbe patient = probe(Duration.ofMillis(9_001));
    watch(patient);
    expect(patient, 100);
    isSilent = true;
    assertThat(after(10)).containsExactly("ping");
    assertThat(after(1)).containsExactly("give up");
  }

  @Test
  void aMessageIsASignOfLife() {
    watch(probe);
    expect(probe, 100);
    isSilent = true;
    for (int i = 0; i < 10; i++) {
      assertThat(after(2)).doesNotContain("give up");
      probe.heard();
    }
  }

  @Test
  void aLateAnswerEndsTheSilence() {
    watch(probe);
    expect(probe, 100);
    isSilent = true;
    after(3);
    isSilent = false;
    probe.heard();
    assertThat(after(1)).containsExactly("ping");
  }

  @Test
  void aConnectionThatTheDriverKnowsToBeLostIsLeftToTheDriver() {
    watch(probe);
    expect(probe, 100);
    isSilent = true;
    after(2);
    isOpen = false;
    assertThat(after(10)).isEmpty();
    isOpen = true;
    assertThat(after(1)).containsExactly("ping");
  }

  @Test
  void nothingIsProbedOnceClosed() {
    watch(probe);
    expect(probe, 100);
    probe.close();
    assertThat(after(3)).isEmpty();
    expect(probe, 100);
    assertThat(planned).isEmpty();
  }
}
