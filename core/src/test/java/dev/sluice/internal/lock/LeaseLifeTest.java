package dev.sluice.internal.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.Sluice;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseLostException;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.LockTimeoutException;
import dev.sluice.lock.PermitInfo;
import dev.sluice.memory.ManualTime;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.spi.Backend;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.RenewReply;
import dev.sluice.spi.Scheduler;
import dev.sluice.spi.Ticker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Corners of one process's dealings with one lock, on a clock that the test moves. */
class LeaseLifeTest {
  private final ManualTime time = new ManualTime();
  private final Mute store = new Mute(new MemoryBackend(time::storeMicros));
  private final List<LeaseState> told = new ArrayList<>();

  private Sluice client(Scheduler scheduler, Executor callbacks) {
    return Sluice.builder().backend(store).time(time, scheduler).callbacks(callbacks).build();
  }

  private Sluice client() {
    return client(time, Runnable::run);
  }

  @Test
  void releaseIsRepeatedForAsLongAsTheStoreMayKeepALeaseThatWasLengthened() {
    try (Sluice sluice = client()) {
      Lease lease = acquire(sluice.lock("seat", LockOptions.fixed(Duration.ofSeconds(1))));
      assertThat(lease.renew(Duration.ofMinutes(10))).isTrue();
      store.silent = true;
      lease.releaseAsync();
      time.advance(Duration.ofSeconds(30));
      store.silent = false;
      time.advance(Duration.ofSeconds(30));
      assertThat(sluice.inspect().lock("seat").holder()).isEmpty();
    }
  }

  @Test
  void lateRepetitionOfAnAcquireTakesNothingAfterTheStoreSaidGone() {
    try (Sluice sluice = client()) {
      Lease lease = acquire(sluice.lock("seat", LockOptions.renewing(Duration.ofSeconds(3))));
      time.stepStoreClock(Duration.ofSeconds(10));
      time.advance(Duration.ofMillis(1500)); // a renewal learns that the entry is gone
      assertThat(lease.state()).isEqualTo(LeaseState.LOST);
      assertThat(store.memory.locks().acquire(store.last).toCompletableFuture().join())
          .isEqualTo(new GrantReply.Over());
    }
  }

  @Test
  void whoComesAfterTheQuestionGetsAnAnswerOfHisOwn() {
    try (Sluice holder = client();
        Sluice sluice = client()) {
      Lease lease = acquire(holder.lock("seat"));
      store.delayReplies = true;
      CompletableFuture<Optional<Lease>> early = tryOnce(sluice);
      lease.releaseAsync();
      CompletableFuture<Optional<Lease>> late = tryOnce(sluice);
      store.delayReplies = false;
      store.letGo();
      assertThat(early.join()).isEmpty();
      assertThat(late.join()).as("the lock was free all the time").isPresent();
    }
  }

  @Test
  void allWhoTryAtOnceAreAnsweredTogether() {
    try (Sluice holder = client();
        Sluice sluice = client()) {
      acquire(holder.lock("seat"));
      store.delayReplies = true;
      List<CompletableFuture<Optional<Lease>>> tries = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        tries.add(tryOnce(sluice));
      }
      int before = store.acquires;
      store.letGo(); // the first is refused, the others ask together
      store.letGo();
      assertThat(tries).allSatisfy(one -> assertThat(one.join()).isEmpty());
      assertThat(store.acquires - before).isEqualTo(1);
    }
  }

  @Test
  void closeSendsReleasesThatAreStillOwed() {
    Sluice sluice = client();
    Lease lease = acquire(sluice.lock("seat"));
    store.silent = true;
    lease.releaseAsync();
    store.silent = false;
    sluice.close();
    try (Sluice other = client()) {
      assertThat(other.inspect().lock("seat").holder()).isEmpty();
    }
  }

  @Test
  void nextTurnIsRenewedInTimeWhenTheLastOneHadItsLongestHold() {
    try (Sluice sluice = client()) {
      Duration ttl = Duration.ofMillis(300);
      LockOptions options = LockOptions.renewing(ttl).maxHold(Duration.ofMillis(100));
      DistributedLock lock = sluice.lock("seat", options);
      // a second caller makes the grant a block, so that the turns share one grant
      CompletableFuture<Lease> first = ask(lock);
      first.join().release();
      store.delayAcquires = true;
      CompletableFuture<Lease> second = ask(lock);
      CompletableFuture<Lease> third = ask(lock);
      CompletableFuture<Lease> fourth = ask(lock);
      store.letGo();
      second.join().release();
      time.advance(Duration.ofMillis(1));
      third.join();
      time.advance(Duration.ofMillis(120)); // the time to renew came and went
      third.join().release();
      fourth.join().onChange((lease, state) -> told.add(state));
      time.advance(Duration.ofMillis(85));
      assertThat(told).isEmpty();
      assertThat(fourth.join().remaining()).isGreaterThan(ttl.dividedBy(2));
    }
  }

  @Test
  void waitThatEndsBeforeItBeginsEnds() {
    // a timer that fires at once, on the thread that sets it
    Scheduler impatient =
        (task, delay) -> {
          time.advance(Duration.ofNanos(delay));
          task.run();
          return () -> {};
        };
    try (Sluice holder = client();
        Sluice sluice = client(impatient, Runnable::run)) {
      acquire(holder.lock("seat"));
      store.silent = true;
      CompletableFuture<Lease> asked =
          sluice.lock("seat").async().acquire(Duration.ofNanos(1)).toCompletableFuture();
      assertThat(asked)
          .failsWithin(Duration.ofSeconds(5))
          .withThrowableThat()
          .havingCause()
          .isInstanceOfAny(LockTimeoutException.class, OutcomeUnknownException.class);
    }
  }

  @Test
  void executorThatRefusesOneCallerLeavesTheOthersServed() {
    boolean[] refuse = {false};
    Executor moody =
        task -> {
          if (refuse[0]) {
            throw new RejectedExecutionException("full");
          }
          task.run();
        };
    try (Sluice holder = client();
        Sluice sluice = client(time, moody)) {
      acquire(holder.lock("seat", LockOptions.fixed(Duration.ofSeconds(1))));
      store.delayAcquires = true;
      sluice.lock("seat").async().tryAcquire();
      CompletableFuture<Lease> patient = ask(sluice.lock("seat"));
      refuse[0] = true;
      store.letGo(); // busy: the hasty caller cannot be told, the patient one must still ask
      refuse[0] = false;
      time.advance(Duration.ofSeconds(5));
      assertThat(patient).isCompleted();
    }
  }

  @Test
  void executorThatRefusesALeaseDoesNotLoseIt() {
    Executor full =
        task -> {
          throw new RejectedExecutionException("full");
        };
    try (Sluice sluice = client(time, full)) {
      assertThat(ask(sluice.lock("seat"))).isCompleted();
    }
  }

  @Test
  void leaseWhoseTimerNeverRunsIsLostAtItsDeadline() {
    Scheduler starved = (task, delay) -> () -> {};
    try (Sluice sluice = client(starved, Runnable::run);
        Sluice other = client()) {
      LockOptions tenSeconds = LockOptions.renewing(Duration.ofSeconds(10));
      Lease lease = acquire(sluice.lock("seat", tenSeconds));
      time.advance(lease.remaining());
      assertThat(ask(other.lock("seat"))).as("the store still keeps it").isNotDone();
      assertThatThrownBy(lease::checkHeld).isInstanceOf(LeaseLostException.class);
      assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    }
  }

  @Test
  void leaseThatWasSeenLostIsNotHeldAgain() {
    Scheduler starved = (task, delay) -> () -> {};
    ArrayDeque<Runnable> afterReading = new ArrayDeque<>();
    Ticker halting =
        () -> {
          long now = time.nanos();
          Runnable next = afterReading.poll();
          if (next != null) {
            next.run(); // the thread stood still with this time in its hand
          }
          return now;
        };
    try (Sluice sluice = Sluice.builder().backend(store).time(halting, starved).build()) {
      Lease lease = acquire(sluice.lock("seat", LockOptions.fixed(Duration.ofSeconds(1))));
      afterReading.add(() -> {}); // when the renewal leaves
      afterReading.add( // when it is answered
          () -> {
            time.advance(lease.remaining());
            assertThat(lease.state()).isEqualTo(LeaseState.LOST);
          });
      assertThat(lease.renew(Duration.ofSeconds(1))).isFalse();
      assertThat(afterReading).isEmpty();
      assertThat(lease.state()).isEqualTo(LeaseState.LOST);
      assertThat(lease.remaining()).isZero();
    }
  }

  @Test
  void shortRenewalByHandDoesNotDelayTheNextByTimer() {
    try (Sluice sluice = client()) {
      Lease lease = acquire(sluice.lock("seat", LockOptions.renewing(Duration.ofSeconds(30))));
      lease.onChange((l, state) -> told.add(state));
      for (int i = 0; i < 30; i++) {
        time.advance(Duration.ofSeconds(2));
        assertThat(lease.renew(Duration.ofSeconds(1))).isTrue();
      }
      assertThat(told).isEmpty();
      assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(19));
    }
  }

  @Test
  void grantThatIsHeardOfLateIsRenewedAtOnce() {
    try (Sluice sluice = client()) {
      store.losesReplies = true;
      CompletableFuture<Lease> asked =
          ask(sluice.lock("seat", LockOptions.renewing(Duration.ofSeconds(3))));
      time.advance(Duration.ofMillis(2400));
      store.losesReplies = false;
      time.advance(Duration.ofMillis(550)); // a repetition is answered
      asked.join().onChange((l, state) -> told.add(state));
      time.advance(Duration.ofSeconds(5));
      assertThat(asked.join().state()).isEqualTo(LeaseState.HELD);
      assertThat(told).doesNotContain(LeaseState.LOST);
    }
  }

  @Test
  void callersWhoseGrantsComeTooLateRetryAfterPauses() {
    try (Sluice sluice = client()) {
      store.roundTrip = Duration.ofMillis(100);
      CompletableFuture<Lease> asked =
          sluice
              .lock("seat", LockOptions.fixed(Duration.ofMillis(100)))
              .async()
              .acquire(Duration.ofSeconds(10))
              .toCompletableFuture();
      time.advance(Duration.ofSeconds(11));
      assertThatThrownBy(asked::join)
          .cause()
          .isExactlyInstanceOf(BackendException.class)
          .hasMessageMatching(
              "lock 'seat': not acquired within .*; a store that may fall silent failed \\d+ times:"
                  + " the grant came too late and is released: the round trip took 100ms, longer"
                  + " than the TTL of 100ms, less the margin of 3ms");
      assertThat(store.acquires).isBetween(10, 40);
      store.roundTrip = Duration.ZERO;
      assertThat(tryOnce(sluice).join()).as("no retry is due any more").isPresent();
    }
  }

  @Test
  void ttlThatTheStoreRefusesFailsNobodyElseInTheQueue() {
    try (Sluice sluice = client()) {
      store.longestTtlMicros = 1_000_000;
      CompletableFuture<Lease> wrong =
          ask(sluice.lock("seat", LockOptions.fixed(Duration.ofSeconds(2))));
      CompletableFuture<Lease> right =
          ask(sluice.lock("seat", LockOptions.fixed(Duration.ofSeconds(1))));
      store.letGo();
      assertThatThrownBy(wrong::join).cause().isInstanceOf(IllegalArgumentException.class);
      assertThat(right.join().state()).isEqualTo(LeaseState.HELD);
    }
  }

  @Test
  void storeThatThrowsInsteadOfAnsweringHasFailed() {
    try (Sluice sluice = client()) {
      store.throwsErrors = true;
      assertThat(tryOnce(sluice)).isCompletedExceptionally();
      store.throwsErrors = false;
      assertThat(tryOnce(sluice).join()).isPresent();
    }
  }

  private static CompletableFuture<Lease> ask(DistributedLock lock) {
    return lock.async().acquire(Duration.ofMinutes(1)).toCompletableFuture();
  }

  private static CompletableFuture<Optional<Lease>> tryOnce(Sluice sluice) {
    return sluice.lock("seat").async().tryAcquire().toCompletableFuture();
  }

  private static Lease acquire(DistributedLock lock) {
    try {
      return ask(lock).join();
    } catch (CompletionException e) {
      throw new AssertionError(e.getCause());
    }
  }

  /** A store that may fall silent, or hold acquires or their answers back. */
  private final class Mute implements Backend, GrantBackend {
    private final MemoryBackend memory;
    private final List<Runnable> held = new ArrayList<>();
    boolean silent;
    boolean delayAcquires;
    boolean delayReplies;
    boolean losesReplies;
    boolean throwsErrors;
    long longestTtlMicros = Long.MAX_VALUE;
    Duration roundTrip = Duration.ZERO;
    int acquires;
    GrantRequest last = new GrantRequest("", "", 0, 0, 0, false);

    Mute(MemoryBackend memory) {
      this.memory = memory;
    }

    private static <T> CompletionStage<T> noAnswer() {
      return CompletableFuture.failedFuture(new OutcomeUnknownException("no answer", null));
    }

    void letGo() {
      delayAcquires = false;
      List<Runnable> now = List.copyOf(held);
      held.clear();
      now.forEach(Runnable::run);
    }

    @Override
    public CompletionStage<GrantReply> acquire(GrantRequest request) {
      last = request;
      acquires++;
      if (throwsErrors) {
        throw new AssertionError("a driver's defect");
      }
      if (losesReplies) {
        memory.locks().acquire(request);
      }
      if (silent || losesReplies) {
        return noAnswer();
      }
      CompletableFuture<GrantReply> reply = new CompletableFuture<>();
      if (request.ttlMicros() > longestTtlMicros) {
        held.add(() -> reply.completeExceptionally(new IllegalArgumentException("TTL too long")));
        return reply;
      }
      if (delayReplies) {
        memory
            .locks()
            .acquire(request)
            .thenAccept(answer -> held.add(() -> reply.complete(answer)));
        return reply;
      }
      if (!delayAcquires) {
        CompletionStage<GrantReply> answer = memory.locks().acquire(request);
        time.advance(roundTrip);
        return answer;
      }
      held.add(() -> memory.locks().acquire(request).thenAccept(reply::complete));
      return reply;
    }

    @Override
    public CompletionStage<RenewReply> renew(GrantAttempt attempt, long ttlMicros) {
      return silent ? noAnswer() : memory.locks().renew(attempt, ttlMicros);
    }

    @Override
    public CompletionStage<Boolean> release(GrantAttempt attempt, int keep) {
      return silent ? noAnswer() : memory.locks().release(attempt, 0);
    }

    @Override
    public CompletionStage<PermitInfo> inspect(String name) {
      return memory.locks().inspect(name);
    }

    @Override
    public CompletionStage<List<String>> names(int limit) {
      return memory.locks().names(limit);
    }

    @Override
    public CompletionStage<Void> listen(String client, Consumer<LockMessage> listener) {
      if (throwsErrors) {
        throw new AssertionError("a driver's defect");
      }
      return memory.locks().listen(client, listener);
    }

    @Override
    public void unlisten(String client) {
      memory.locks().unlisten(client);
    }

    @Override
    public String describe() {
      return "a store that may fall silent";
    }

    @Override
    public GrantBackend locks() {
      return this;
    }

    @Override
    public void close() {}
  }
}
