package dev.sluice.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.memory.ManualTime;
import dev.sluice.spi.Scheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TimerQueueTest {
  private final ManualTime time = new ManualTime();
  private final AtomicInteger armed = new AtomicInteger();
  private final Scheduler counting =
      (task, delay) -> {
        armed.incrementAndGet();
        return time.schedule(task, delay);
      };
  private final TimerQueue timers = new TimerQueue(time, counting);
  private final List<String> done = new ArrayList<>();

  @Test
  void runsWhatIsDueInOrder() {
    timers.in(20, () -> done.add("second"));
    timers.in(10, () -> done.add("first"));
    timers.in(20, () -> done.add("third"));
    timers.in(21, () -> done.add("later"));
    time.advance(Duration.ofNanos(9));
    assertThat(done).isEmpty();
    time.advance(Duration.ofNanos(11));
    assertThat(done).containsExactly("first", "second", "third");
    assertThat(timers.size()).isEqualTo(1);
  }

  @Test
  void taskThatFailsKeepsNoOtherFromRunning() {
    timers.in(
        10,
        () -> {
          throw new StackOverflowError("planted");
        });
    timers.in(10, () -> done.add("same moment"));
    timers.in(20, () -> done.add("later"));
    time.advance(Duration.ofNanos(20));
    assertThat(done).containsExactly("same moment", "later");
  }

  @Test
  void whatIsCancelledDoesNotRun() {
    TimerQueue.Entry entry = timers.in(10, () -> done.add("cancelled"));
    timers.in(10, () -> done.add("kept"));
    entry.cancel();
    entry.cancel();
    assertThat(timers.size()).isEqualTo(1);
    time.advance(Duration.ofNanos(10));
    assertThat(done).containsExactly("kept");
    entry.cancel();
  }

  @Test
  void whatIsLateRunsAtOnce() {
    time.advance(Duration.ofSeconds(1));
    timers.at(5, () -> done.add("late"));
    time.advance(Duration.ZERO);
    assertThat(done).containsExactly("late");
  }

  @Test
  void timerIsLeftAloneByWhatComesAndGoes() {
    for (int i = 0; i < 1000; i++) {
      timers.in(1000 + i, () -> done.add("never")).cancel();
    }
    assertThat(armed).hasValue(1);
    assertThat(timers.size()).isZero();
  }

  @Test
  void tasksMayPlanMore() {
    timers.in(10, () -> timers.in(10, () -> done.add("second")));
    time.advance(Duration.ofNanos(20));
    assertThat(done).containsExactly("second");
  }

  @Test
  void failingTaskDoesNotStopTheOthers() {
    timers.in(
        10,
        () -> {
          throw new IllegalStateException("task of a test");
        });
    timers.in(10, () -> done.add("next"));
    timers.in(20, () -> done.add("later"));
    time.advance(Duration.ofNanos(20));
    assertThat(done).containsExactly("next", "later");
  }

  @Test
  void closedAgendaForgetsAndTakesNothing() {
    timers.in(10, () -> done.add("forgotten"));
    timers.close();
    timers.in(10, () -> done.add("refused"));
    assertThat(timers.size()).isZero();
    time.advance(Duration.ofNanos(20));
    assertThat(done).isEmpty();
  }
}
