package dev.sluice.testkit.latch;

import static dev.sluice.testkit.FlakyBackend.Fault.HOLDS_REPLY;
import static dev.sluice.testkit.FlakyBackend.Fault.HOLDS_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REPLY;
import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Fault.REPEATS_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Verb.COUNT_DOWN;
import static dev.sluice.testkit.FlakyBackend.Verb.LOOK;
import static dev.sluice.testkit.FlakyBackend.Verb.SET_COUNT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.BackendException;
import dev.sluice.MissingDataException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.Sluice;
import dev.sluice.latch.DistributedLatch;
import dev.sluice.state.LatchState;
import dev.sluice.testkit.Contract;
import dev.sluice.testkit.FlakyBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests of count-down latches: each count-down counts once, and zero releases all waiters.
 *
 * @since 0.1
 */
public interface Latches extends Contract {
  String NAME = "contract/latch {7}";
  Duration POLL = Duration.ofNanos(LatchState.POLL_MICROS * 1000);
  Duration BRIEF = Duration.ofSeconds(1);

  private DistributedLatch latch() {
    return client().latch(NAME);
  }

  private DistributedLatch over(FlakyBackend line) {
    return client(line).latch(NAME);
  }

  /** Starts to wait, and returns when the store has the waiter. */
  private Running<Boolean> waiting(FlakyBackend line, Duration wait) {
    DistributedLatch latch = over(line);
    int looks = line.calls(LOOK);
    Running<Boolean> running = start(() -> latch.await(wait));
    until(
        "it waits",
        () -> line.calls(LOOK) > looks && isParked(running.thread()) || running.future().isDone());
    latch.info(); // over the same line: the look before it was answered
    return running;
  }

  @Test
  default void countsDownToZeroAndLetsEverybodyGo() throws Exception {
    DistributedLatch latch = latch();
    assertThat(latch.trySetCount(3)).isTrue();
    List<Running<Boolean>> waiting = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      waiting.add(waiting(line(), AGES));
    }
    assertThat(latch.countDown()).isEqualTo(2);
    assertThat(latch().countDown()).isEqualTo(1);
    assertThat(latch.info().count()).isEqualTo(1);
    assertThat(waiting).noneMatch(each -> each.future().isDone());
    assertThat(latch().countDown()).isZero();

    for (Running<Boolean> each : waiting) { // by message: no time passes where it can be held
      until("it goes on", each.future()::isDone);
      assertThat(each.result()).isTrue();
    }
    assertThat(latch.info().count()).isZero();
  }

  @Test
  default void latchThatWasNeverSetIsOpen() throws Exception {
    DistributedLatch latch = latch();
    assertThat(latch.name()).isEqualTo(NAME);
    assertThat(latch.info().count()).isZero();
    assertThat(latch.await(AGES)).isTrue();
    assertThat(latch.await(Duration.ZERO)).isTrue();
    assertThat(latch.countDown()).isZero();
    assertThat(latch.trySetCount(1)).isTrue();
    assertThat(latch.info().count()).isEqualTo(1);
    assertThat(latch.await(Duration.ZERO)).isFalse();
  }

  @Test
  default void countIsSetOnlyWhenItIsZero() {
    DistributedLatch latch = latch();
    assertThat(latch.trySetCount(2)).isTrue();
    assertThat(latch.trySetCount(5)).isFalse();
    assertThat(latch().trySetCount(5)).isFalse();
    assertThat(latch.info().count()).isEqualTo(2);
    latch.countDown();
    assertThat(latch.trySetCount(5)).isFalse();
    latch.countDown();
    assertThat(latch.countDown()).isZero();
    assertThat(latch().trySetCount(5)).isTrue();
    assertThat(latch.info().count()).isEqualTo(5);
  }

  @Test
  default void waitEndsInTime() throws Exception {
    latch().trySetCount(1);
    Running<Boolean> waiting = waiting(line(), Duration.ofSeconds(1));
    within("the wait is over", Duration.ofMillis(1050), waiting.future()::isDone);

    assertThat(waiting.result()).isFalse();
  }

  @Test
  default void interruptEndsTheWait() {
    latch().trySetCount(1);
    Running<Boolean> waiting = waiting(line(), AGES);
    waiting.thread().interrupt();

    assertThatThrownBy(waiting::result)
        .cause()
        .isInstanceOf(InterruptedException.class)
        .hasMessage("interrupted while waiting for latch '%s'", NAME);
    assertThat(latch().info().count()).isEqualTo(1);
  }

  @Test
  default void manyThreadsOfOneProcessWaitAndCountTogether() throws Exception {
    FlakyBackend line = line();
    DistributedLatch latch = over(line);
    latch.trySetCount(40);
    List<Running<Boolean>> waiting = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      waiting.add(start(() -> latch.await(AGES)));
    }
    line.set(COUNT_DOWN, HOLDS_REQUEST);
    List<Running<Long>> counting = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      counting.add(start(latch::countDown));
    }
    until("all have come", () -> counting.stream().allMatch(each -> isParked(each.thread())));
    line.set(COUNT_DOWN, HOLDS_REPLY);
    line.takeHeld().deliver();
    until("the others follow", () -> line.heldCalls() == 1);
    line.takeHeld().deliver();
    for (Running<Long> each : counting) {
      assertThat(each.result()).isBetween(0L, 39L);
    }
    for (Running<Boolean> each : waiting) {
      assertThat(each.result()).isTrue();
    }
    assertThat(line.calls(COUNT_DOWN)).isEqualTo(2);
  }

  private boolean isParked(Thread thread) {
    return thread.getState() == Thread.State.WAITING;
  }

  @Test
  default void lostWakeUpCostsAtMostASecond() throws Exception {
    DistributedLatch latch = latch();
    latch.trySetCount(1);
    FlakyBackend line = line().losesMessages(true);
    Running<Boolean> waiting = waiting(line, AGES);
    latch.countDown();
    within("it goes on", POLL.plusMillis(20), waiting.future()::isDone);

    assertThat(waiting.result()).isTrue();
  }

  @Test
  default void countDownWhoseAnswerIsLostCountsOnce() {
    FlakyBackend line = line();
    DistributedLatch latch = over(line);
    latch.trySetCount(3);
    line.next(COUNT_DOWN, LOSES_REPLY);
    assertThat(latch.countDown()).isEqualTo(2);
    line.next(COUNT_DOWN, LOSES_REQUEST);
    assertThat(latch.countDown()).isEqualTo(1);
    assertThat(line.calls(COUNT_DOWN)).isEqualTo(4);
    assertThat(latch().info().count()).isEqualTo(1);
  }

  @Test
  default void countDownThatTheNetworkRepeatsCountsOnce() {
    FlakyBackend line = line();
    DistributedLatch latch = over(line);
    latch.trySetCount(5);
    line.set(COUNT_DOWN, REPEATS_REQUEST);
    assertThat(latch.countDown()).isEqualTo(4);
    assertThat(latch.countDown()).isEqualTo(3);
    assertThat(latch().info().count()).isEqualTo(3);
  }

  @Test
  default void countDownThatArrivesLateCountsNoMoreOnceAnotherFollowed() throws Exception {
    FlakyBackend line = line();
    DistributedLatch latch = over(line);
    latch.trySetCount(5);
    line.set(COUNT_DOWN, HOLDS_REQUEST);
    Running<Long> first = start(latch::countDown);
    until("it is on its way", () -> line.heldCalls() == 1);
    FlakyBackend.Held late = line.takeHeld();
    line.set(COUNT_DOWN, LOSES_REQUEST);
    late.timeOut();
    within("it is given up", Duration.ofSeconds(7), first.future()::isDone);
    assertThatThrownBy(first::result).cause().isInstanceOf(OutcomeUnknownException.class);
    line.heal();
    assertThat(latch.countDown()).isEqualTo(4);
    late.deliver();

    assertThat(latch().info().count()).isEqualTo(4);
  }

  @Test
  default void silenceOfTheStoreIsUnknownAfterAWhile() {
    FlakyBackend line = line();
    DistributedLatch latch = over(line);
    latch.trySetCount(2);
    line.set(COUNT_DOWN, LOSES_REPLY);
    Running<Long> counting = start(latch::countDown);
    within("it is given up", Duration.ofSeconds(7), counting.future()::isDone);

    assertThatThrownBy(counting::result)
        .cause()
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("latch '" + NAME + "'");
    assertThat(latch().info().count()).as("at most once").isEqualTo(1);
  }

  @Test
  default void storeThatRefusesIsNotUnknown() {
    FlakyBackend line = line();
    DistributedLatch latch = over(line);
    line.failWith(COUNT_DOWN, new BackendException("no room", null));
    Running<Long> counting = start(latch::countDown);
    within("it is given up", Duration.ofSeconds(7), counting.future()::isDone);

    assertThatThrownBy(counting::result)
        .cause()
        .isExactlyInstanceOf(BackendException.class)
        .hasMessageEndingWith("no room");
  }

  @Test
  default void settingWhoseAnswerIsLostIsKnownAsOurs() {
    FlakyBackend line = line();
    DistributedLatch latch = over(line);
    line.next(SET_COUNT, LOSES_REPLY);
    assertThat(latch.trySetCount(2)).isTrue();
    assertThat(latch.info().count()).isEqualTo(2);
    latch.countDown();
    latch.countDown();
    line.next(SET_COUNT, REPEATS_REQUEST);
    assertThat(latch.trySetCount(4)).isTrue();
    assertThat(latch.info().count()).isEqualTo(4);
  }

  @Test
  default void lateSettingDoesNotSetTheNextRound() throws Exception {
    FlakyBackend line = line();
    DistributedLatch latch = over(line);
    line.next(SET_COUNT, HOLDS_REPLY);
    Running<Boolean> setting = start(() -> latch.trySetCount(1));
    until("it is on its way", () -> line.heldCalls() == 1);
    FlakyBackend.Held held = line.takeHeld();
    held.deliver();
    assertThat(setting.result()).isTrue();
    assertThat(latch.countDown()).isZero();
    assertThat(latch.trySetCount(3)).isTrue();
    assertThat(latch.info().count()).isEqualTo(3);
  }

  @Test
  default void whoWaitsForOneRoundIsNotHeldUpByTheNext() throws Exception {
    DistributedLatch latch = latch();
    latch.trySetCount(1);
    FlakyBackend line = line().losesMessages(true);
    Running<Boolean> waiting = waiting(line, AGES);
    latch.countDown();
    assertThat(latch.trySetCount(1)).isTrue();
    within("it goes on", POLL.plusMillis(20), waiting.future()::isDone);

    assertThat(waiting.result()).isTrue();
    assertThat(latch.await(Duration.ZERO)).isFalse();
  }

  @Test
  default void waitOutlivesASilentStore() throws Exception {
    DistributedLatch latch = latch();
    latch.trySetCount(1);
    FlakyBackend line = line();
    Running<Boolean> waiting = waiting(line, AGES);
    line.set(LOOK, LOSES_REQUEST);
    line.losesMessages(true);
    store().pass(POLL.multipliedBy(2));
    latch.countDown();
    store().pass(POLL);
    assertThat(waiting.future()).isNotDone();
    line.heal();
    within("it goes on", POLL, waiting.future()::isDone);

    assertThat(waiting.result()).isTrue();
  }

  @Test
  default void waitThatEndsWhileTheStoreIsSilentSaysSo() {
    latch().trySetCount(1);
    FlakyBackend line = line();
    Running<Boolean> waiting = waiting(line, BRIEF.multipliedBy(5));
    line.set(LOOK, LOSES_REQUEST);
    within("the wait is over", BRIEF.multipliedBy(6), waiting.future()::isDone);

    assertThatThrownBy(waiting::result).cause().isInstanceOf(OutcomeUnknownException.class);
  }

  @Test
  default void latchThatTheStoreForgotIsNotTakenForOpen() {
    latch().trySetCount(1);
    Running<Boolean> waiting = waiting(line(), AGES);
    store().loseData();
    within("it fails", POLL.plusMillis(20), waiting.future()::isDone);

    assertThatThrownBy(waiting::result)
        .cause()
        .isInstanceOf(MissingDataException.class)
        .hasMessageContaining(NAME);
  }

  @Test
  default void latchIsGoneWhenItWasNotUsedForItsTime() {
    DistributedLatch latch = latch();
    Duration keep = Duration.ofSeconds(4);
    assertThat(latch.trySetCount(5, keep)).isTrue();
    store().pass(keep.dividedBy(8));
    assertThat(latch.countDown()).isEqualTo(4);
    assertThat(latch.trySetCount(9, keep)).isFalse();
    store().pass(keep.plusMillis(5));

    assertThat(latch.info().count()).isZero();
    assertThat(latch.trySetCount(2, keep)).isTrue();
    assertThat(latch.info().count()).isEqualTo(2);
  }

  @Test
  default void latchIsKeptWhileSomebodyWaits() throws Exception {
    DistributedLatch latch = latch();
    latch.trySetCount(1, BRIEF.multipliedBy(5));
    Running<Boolean> waiting = waiting(line(), AGES);
    for (int i = 0; i < 30; i++) { // in steps, so that looks are answered in between
      store().pass(BRIEF.dividedBy(5));
    }
    assertThat(waiting.future()).isNotDone();
    assertThat(latch.countDown()).isZero();
    until("it goes on", waiting.future()::isDone);
    assertThat(waiting.result()).isTrue();
  }

  @Test
  default void askingAgainAndAgainDoesNotKeepADeadLatch() {
    DistributedLatch latch = latch();
    latch.trySetCount(5, BRIEF);
    boolean set = false;
    for (int i = 0; i < 20 && !set; i++) {
      store().pass(BRIEF.dividedBy(10));
      set = latch.trySetCount(1, BRIEF);
      latch.info();
    }
    assertThat(set).isTrue();
  }

  @Test
  default void closingTheClientEndsItsWaits() {
    latch().trySetCount(1);
    Sluice client = client();
    Running<Boolean> waiting = start(() -> client.latch(NAME).await(AGES));
    until("it waits", () -> isParked(waiting.thread()));
    client.close();

    assertThatThrownBy(waiting::result).cause().isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> client.latch(NAME)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  default void badInputIsRefused() {
    DistributedLatch latch = latch();
    for (long count : new long[] {0, -1, DistributedLatch.MAX_COUNT + 1}) {
      assertThatThrownBy(() -> latch.trySetCount(count))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("count must be 1 to 2147483647: " + count);
    }
    assertThatThrownBy(() -> latch.trySetCount(1, Duration.ofMillis(999)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("keep must be 1s to 3650d");
    assertThatThrownBy(() -> latch.await(Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> client().latch("")).isInstanceOf(IllegalArgumentException.class);
    assertThat(latch.trySetCount(DistributedLatch.MAX_COUNT)).isTrue();
    assertThat(latch.countDown()).isEqualTo(DistributedLatch.MAX_COUNT - 1);
  }
}
