package dev.sluice.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.memory.ManualTime;
import dev.sluice.spi.Scheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AgendaTest {
  private final ManualTime time = new ManualTime();
  private final AtomicInteger armed = new AtomicInteger();
  private final Scheduler counting =
      (task, delay) -> {
        armed.incrementAndGet();
        return time.schedule(task, delay);
      };
  private final Agenda agenda = new Agenda(time, counting);
  private final List<String> done = new ArrayList<>();

  @Test
  void runsWhatIsDueInOrder() {
    agenda.in(20, () -> done.add("second"));
    agenda.in(10, () -> done.add("first"));
    agenda.in(20, () -> done.add("third"));
    agenda.in(21, () -> done.add("later"));
    time.advance(Duration.ofNanos(9));
    assertThat(done).isEmpty();
    time.advance(Duration.ofNanos(11));
    assertThat(done).containsExactly("first", "second", "third");
    assertThat(agenda.size()).isEqualTo(1);
  }

  @Test
  void taskThatFailsKeepsNoOtherFromRunning() {
    agenda.in(
        10,
        () -> {
          throw new StackOverflowError("planted");
        });
    agenda.in(10, () -> done.add("same moment"));
    agenda.in(20, () -> done.add("later"));
    time.advance(Duration.ofNanos(20));
    assertThat(done).containsExactly("same moment", "later");
  }

  @Test
  void whatIsCancelledDoesNotRun() {
    Agenda.Entry entry = agenda.in(10, () -> done.add("cancelled"));
    agenda.in(10, () -> done.add("kept"));
    entry.cancel();
    entry.cancel();
    assertThat(agenda.size()).isEqualTo(1);
    time.advance(Duration.ofNanos(10));
    assertThat(done).containsExactly("kept");
    entry.cancel();
  }

  @Test
  void whatIsLateRunsAtOnce() {
    time.advance(Duration.ofSeconds(1));
    agenda.at(5, () -> done.add("late"));
    time.advance(Duration.ZERO);
    assertThat(done).containsExactly("late");
  }

  @Test
  void timerIsLeftAloneByWhatComesAndGoes() {
    for (int i = 0; i < 1000; i++) {
      agenda.in(1000 + i, () -> done.add("never")).cancel();
    }
    assertThat(armed).hasValue(1);
    assertThat(agenda.size()).isZero();
  }

  @Test
  void tasksMayPlanMore() {
    agenda.in(10, () -> agenda.in(10, () -> done.add("second")));
    time.advance(Duration.ofNanos(20));
    assertThat(done).containsExactly("second");
  }

  @Test
  void failingTaskDoesNotStopTheOthers() {
    agenda.in(
        10,
        () -> {
          throw new IllegalStateException("task of a test");
        });
    agenda.in(10, () -> done.add("next"));
    agenda.in(20, () -> done.add("later"));
    time.advance(Duration.ofNanos(20));
    assertThat(done).containsExactly("next", "later");
  }

  @Test
  void closedAgendaForgetsAndTakesNothing() {
    agenda.in(10, () -> done.add("forgotten"));
    agenda.close();
    agenda.in(10, () -> done.add("refused"));
    assertThat(agenda.size()).isZero();
    time.advance(Duration.ofNanos(20));
    assertThat(done).isEmpty();
  }
}
