package dev.sluice.testkit.limit;

import static dev.sluice.testkit.FlakyBackend.Fault.HOLDS_REPLY;
import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REPLY;
import static dev.sluice.testkit.FlakyBackend.Verb.ADVANCE;
import static dev.sluice.testkit.FlakyBackend.Verb.ENTER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.limit.Decision;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.Reservation;
import dev.sluice.testkit.FlakyBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/**
 * Tests of the leaky bucket as a queue: order, spacing, leaving, full, too late.
 *
 * @since 0.1
 */
public interface LimitQueues extends LimitContract {
  Duration INTERVAL = Duration.ofMillis(300);

  private RateLimiter queue(Sluice client, Duration interval, int places) {
    return client.rateLimiter(NAME, patient(Limit.leakyQueue(1, interval).places(places)));
  }

  private long waiting(RateLimiter queue) {
    Decision decision = queue.peek(KEY, 1);
    return decision.limit() - decision.remaining();
  }

  /** Enters, and returns when the store has the reservation. */
  private CompletableFuture<Decision> enter(
      RateLimiter queue, List<CompletableFuture<Decision>> in) {
    CompletableFuture<Decision> turn =
        queue.async().tryAcquire(KEY, 1, Duration.ofMinutes(30)).toCompletableFuture();
    in.add(turn);
    until(
        "it has a place",
        () -> waiting(queue) + in.stream().filter(CompletableFuture::isDone).count() >= in.size());
    return turn;
  }

  @Test
  default void queueLetsCallersThroughInOrderAndSpaced() {
    List<RateLimiter> queues = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      queues.add(queue(client(), INTERVAL, 50));
    }
    Map<Integer, Long> passed = new ConcurrentHashMap<>();
    List<CompletableFuture<Decision>> turns = new ArrayList<>();
    long start = store().nanos();
    for (int i = 0; i < 7; i++) {
      int number = i;
      enter(queues.get(i % 3), turns).thenAccept(decision -> passed.put(number, store().nanos()));
    }
    within("all have passed", INTERVAL.multipliedBy(8), () -> passed.size() == 7);
    // a caller that overtook would have passed before its own time; timers of clients may fire in
    // any order
    for (int i = 0; i < 7; i++) {
      assertThat(turns.get(i).join().allowed()).isTrue();
      assertThat(passed.getOrDefault(i, 0L) - start)
          .as("turn %s comes no earlier than its interval", i)
          .isGreaterThanOrEqualTo(INTERVAL.multipliedBy(i).minusMillis(5).toNanos());
    }
  }

  @Test
  default void cancelledWaitersLeaveNoGap() {
    Duration interval = Duration.ofSeconds(2);
    RateLimiter first = queue(client(), interval, 50);
    RateLimiter second = queue(client(), interval, 50);
    List<CompletableFuture<Decision>> turns = new ArrayList<>();
    enter(first, turns);
    CompletableFuture<Decision> other = enter(first, turns);
    CompletableFuture<Decision> third = enter(second, turns);
    CompletableFuture<Decision> fourth = enter(second, turns);
    CompletableFuture<Decision> fifth = enter(first, turns);
    long start = store().nanos();
    other.cancel(false);
    third.completeExceptionally(
        new java.util.concurrent.TimeoutException("the caller's own bound"));
    until("two are left", () -> waiting(first) == 2);
    until(
        "they have moved up",
        () -> first.peek(KEY, 1).resetAfter().compareTo(interval.multipliedBy(3)) <= 0);
    within("the next one passes", interval.multipliedBy(2), fourth::isDone);
    assertThat(store().nanos() - start).isLessThan(interval.multipliedBy(3).toNanos());
    within("the last one passes", interval.multipliedBy(2), fifth::isDone);
    assertThat(store().nanos() - start).isLessThan(interval.multipliedBy(4).toNanos());
  }

  @Test
  default void lostMessageMeansOnlyALateTurn() {
    FlakyBackend line = line();
    RateLimiter first = queue(client(), INTERVAL, 50);
    RateLimiter second = queue(client(line), INTERVAL, 50);
    List<CompletableFuture<Decision>> turns = new ArrayList<>();
    enter(first, turns);
    CompletableFuture<Decision> other = enter(first, turns);
    CompletableFuture<Decision> third = enter(second, turns);
    line.losesMessages(true);
    other.cancel(false);
    CompletableFuture<Decision> fourth = enter(first, turns);
    within("it passes late", INTERVAL.multipliedBy(3), third::isDone);
    within("and so do those behind it", INTERVAL.multipliedBy(3), fourth::isDone);
    assertThat(third.join().allowed()).isTrue();
    assertThat(fourth.join().allowed()).isTrue();
  }

  /**
   * The store moved the reservation, and its reply was lost: the old time may be another caller's.
   */
  @Test
  default void lostAnswerToMovingUpIsDecidedByTheOutagePolicy() {
    FlakyBackend line = line();
    Duration interval = Duration.ofSeconds(10);
    RateLimiter first = queue(client(), interval, 50);
    RateLimiter second = queue(client(line), interval, 50);
    List<CompletableFuture<Decision>> turns = new ArrayList<>();
    enter(first, turns);
    CompletableFuture<Decision> other = enter(first, turns);
    CompletableFuture<Decision> third = enter(second, turns);
    line.next(ADVANCE, LOSES_REPLY);
    other.cancel(false);
    until("it completes", third::isDone);
    assertThat(third.join().allowed()).isFalse();
    assertThat(third.join().source()).isEqualTo(Decision.Source.FALLBACK);
  }

  @Test
  default void fullQueueRefusesAtOnce() throws Exception {
    RateLimiter queue = queue(client(), Duration.ofMinutes(1), 2);
    List<CompletableFuture<Decision>> turns = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      enter(queue, turns);
    }
    Decision refused = queue.tryAcquire(KEY, 1, Duration.ofMinutes(30));
    assertThat(refused.allowed()).isFalse();
    assertThat(refused.remaining()).isZero();
    assertThat(refused.limit()).isEqualTo(2);
    assertThat(refused.refusedBy()).contains("1");
    assertThat(refused.retryAfter()).isPositive().isLessThanOrEqualTo(Duration.ofMinutes(1));
    assertThat(queue.tryAcquire(KEY).retryAfter()) // there it must be empty
        .isBetween(Duration.ofMinutes(2), Duration.ofMinutes(3));
    turns.get(1).cancel(false);
    until("there is a place", () -> waiting(queue) == 1);
    enter(queue, turns);
  }

  @Test
  default void deadlineThatCannotBeMetIsRefusedAtOnce() throws Exception {
    RateLimiter queue = queue(client(), Duration.ofMinutes(1), 50);
    assertThat(queue.tryAcquire(KEY, 1, Duration.ZERO).allowed()).isTrue();
    assertThat(queue.tryAcquire(KEY, 1, Duration.ofSeconds(5)).allowed()).isFalse();
    assertThat(queue.tryAcquire(KEY).allowed()).isFalse();
    assertThat(waiting(queue)).isZero();
    assertThat(queue.peek(KEY, 1).allowed()).isFalse();
    assertThat(queue.tryAcquire(KEY, 0).allowed()).isTrue();
  }

  @Test
  default void reservationsAreSpacedAndCanBeGivenUp() {
    RateLimiter queue = queue(client(), Duration.ofMinutes(1), 50);
    assertThat(queue.reserve(KEY, 1, AGES).delay()).isZero();
    Duration hour = Duration.ofHours(1);
    Reservation second = queue.reserve(KEY, 2, hour);
    assertThat(second.delay()).isBetween(Duration.ofSeconds(30), Duration.ofMinutes(1));
    Reservation third = queue.reserve(KEY, 1, hour);
    assertThat(third.delay()).isBetween(Duration.ofSeconds(150), Duration.ofMinutes(3));
    third.cancel();
    until("one waits", () -> waiting(queue) == 1);
    second.cancel();
    until("the queue is empty", () -> waiting(queue) == 0);
    assertThat(queue.reserve(KEY, 1, hour).delay())
        .isBetween(Duration.ofSeconds(30), Duration.ofMinutes(1));
  }

  @Test
  default void queueWithoutPlacesLetsNobodyWait() {
    Duration interval = Duration.ofSeconds(3);
    RateLimiter queue = queue(client(), interval, 0);
    assertThat(queue.reserve(KEY, 1, AGES).decision().allowed()).isTrue();
    assertThat(queue.reserve(KEY, 1, AGES).decision().allowed()).isFalse();
    store().pass(interval);
    assertThat(queue.reserve(KEY, 1, AGES).decision().allowed()).isTrue();
  }

  @Test
  default void interruptedWaiterLeavesTheQueue() throws Exception {
    RateLimiter queue = queue(client(), Duration.ofMinutes(1), 50);
    queue.tryAcquire(KEY);
    Running<Decision> caller = start(() -> queue.tryAcquire(KEY, 1, Duration.ofMinutes(5)));
    until("it waits", () -> waiting(queue) == 1);
    caller.thread().interrupt();
    assertThatThrownBy(caller::result).cause().isInstanceOf(InterruptedException.class);
    until("it has left", () -> waiting(queue) == 0);
  }

  @Test
  default void closedClientLeavesTheQueue() {
    Sluice closing = client();
    RateLimiter queue = queue(client(), Duration.ofMinutes(1), 50);
    queue.tryAcquire(KEY);
    List<CompletableFuture<Decision>> turns = new ArrayList<>();
    CompletableFuture<Decision> turn =
        queue(closing, Duration.ofMinutes(1), 50)
            .async()
            .tryAcquire(KEY, 1, Duration.ofMinutes(5))
            .toCompletableFuture();
    turns.add(turn);
    until("it waits", () -> waiting(queue) == 1);
    closing.close();
    until("it has left", () -> waiting(queue) == 0);
    assertThatThrownBy(turn::join).hasCauseInstanceOf(IllegalStateException.class);
  }

  @Test
  default void placeWhoseAnswerWasLateIsGivenBack() {
    FlakyBackend line = line();
    RateLimiter queue = queue(client(), Duration.ofMinutes(1), 50);
    queue.tryAcquire(KEY);
    RateLimiter slow =
        client(line)
            .rateLimiter(
                NAME,
                patient(Limit.leakyQueue(1, Duration.ofMinutes(1)).places(50))
                    .deadline(Duration.ofSeconds(2)));
    line.next(ENTER, HOLDS_REPLY);
    CompletableFuture<Decision> turn =
        slow.async().tryAcquire(KEY, 1, Duration.ofMinutes(5)).toCompletableFuture();
    until("the store has let it in", () -> waiting(queue) == 1 || turn.isDone());
    within("the policy has decided", Duration.ofSeconds(3), turn::isDone);
    assertThat(turn.join().source()).isEqualTo(Decision.Source.FALLBACK);
    until("it has left", () -> waiting(queue) == 0);
    line.takeHeld().deliver();
  }

  @Test
  default void resetEmptiesTheQueue() {
    RateLimiter queue = queue(client(), Duration.ofMinutes(1), 50);
    List<CompletableFuture<Decision>> turns = new ArrayList<>();
    enter(queue, turns);
    enter(queue, turns);
    queue.reset(KEY);
    assertThat(waiting(queue)).isZero();
    assertThat(queue.tryAcquire(KEY).allowed()).isTrue();
  }

  @Test
  default void refundGivesAQueueNothingBack() {
    RateLimiter queue = queue(client(), Duration.ofMinutes(1), 50);
    List<CompletableFuture<Decision>> turns = new ArrayList<>();
    enter(queue, turns);
    enter(queue, turns);
    queue.refund(KEY, 1);
    assertThat(waiting(queue)).isEqualTo(1);
    assertThat(queue.tryAcquire(KEY).allowed()).isFalse();
  }
}
