package dev.sluice.internal.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.OutcomeUnknownException;
import dev.sluice.Sluice;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Leases of a store that sees no further ahead than a session, and says when it cannot see. */
class LeaseInPartsTest {
  private static final Duration PART = Duration.ofSeconds(5);
  private static final LockOptions FIXED = LockOptions.fixed(Duration.ofSeconds(30));
  private static final LockOptions RENEWING = LockOptions.renewing(Duration.ofSeconds(30));

  private final ManualTime time = new ManualTime();
  private final ShortSighted store = new ShortSighted(new MemoryBackend(time::storeMicros));
  private final List<LeaseState> told = new ArrayList<>();
  private final Sluice sluice =
      Sluice.builder().backend(store).time(time, time).callbacks(Runnable::run).build();

  @AfterEach
  void close() {
    sluice.close();
  }

  private Lease take(LockOptions options) {
    Lease lease = ask(options).join();
    return lease.onChange((l, state) -> told.add(state));
  }

  private CompletableFuture<Lease> ask(LockOptions options) {
    DistributedLock lock = sluice.lock("seat", options);
    return lock.async().acquire(Duration.ofMinutes(1)).toCompletableFuture();
  }

  private void pass(Duration span) {
    for (int i = 0; i < 100; i++) {
      time.advance(span.dividedBy(100));
    }
  }

  @Test
  void leaseThatIsNotRenewedHasItsWholeTime() {
    Lease lease = take(FIXED);
    assertThat(lease.remaining()).isLessThan(PART);
    pass(Duration.ofSeconds(29));

    assertThat(lease.state()).isEqualTo(LeaseState.HELD);
    assertThat(told).isEmpty();
    pass(Duration.ofSeconds(1));
    assertThat(told).containsExactly(LeaseState.LOST);
    assertThat(store.renewals).isBetween(5, 25);
    assertThat(store.memory.locks().inspect("seat").toCompletableFuture().join().asLock().holder())
        .isEmpty();
  }

  /** One per cent of it is longer than what the store sees ahead. */
  @Test
  void leaseOfADayIsHeldFromPartToPart() {
    CompletableFuture<Lease> asked = ask(LockOptions.fixed(Duration.ofDays(1)));
    assertThat(asked).isCompleted();
    Lease lease = asked.join().onChange((l, state) -> told.add(state));
    pass(Duration.ofMinutes(1));

    assertThat(lease.state()).isEqualTo(LeaseState.HELD);
    assertThat(told).isEmpty();
  }

  @Test
  void leaseThatIsNotRenewedMayBeLengthenedByItsHolder() {
    Lease lease = take(FIXED);
    pass(Duration.ofSeconds(20));
    assertThat(lease.renew(Duration.ofSeconds(40))).isTrue();
    pass(Duration.ofSeconds(39));
    assertThat(lease.state()).isEqualTo(LeaseState.HELD);
    pass(Duration.ofSeconds(1));
    assertThat(lease.state()).isEqualTo(LeaseState.LOST);
  }

  @Test
  void leaseEndsWithWhatWasConfirmedLast() {
    Lease lease = take(FIXED);
    pass(Duration.ofSeconds(10));
    store.silent = true;
    for (int i = 0; i < 40 && told.isEmpty(); i++) {
      time.advance(Duration.ofMillis(100));
    }
    assertThat(told).containsExactly(LeaseState.IN_DOUBT);
    pass(Duration.ofSeconds(2));
    assertThat(told).containsExactly(LeaseState.IN_DOUBT, LeaseState.LOST);
    assertThat(lease.remaining()).isZero();
  }

  @Test
  void renewalComesInTimeForWhatWasConfirmed() {
    Lease lease = take(RENEWING);
    pass(Duration.ofSeconds(60));
    assertThat(told).isEmpty();
    assertThat(lease.remaining()).isBetween(Duration.ofSeconds(2), PART);
    assertThat(store.renewals).isBetween(12, 45);
  }

  @Test
  void shortLeaseOfAStoreThatSeesFarEnoughIsNotAskedForAgain() {
    take(LockOptions.fixed(Duration.ofSeconds(4)));
    pass(Duration.ofSeconds(4));
    assertThat(store.renewals).isZero();
    assertThat(told).containsExactly(LeaseState.LOST);
  }

  @Test
  void turnsOfOneProcessGoOnWithinWhatWasConfirmed() {
    Lease first = take(RENEWING);
    CompletableFuture<Lease> second = ask(RENEWING);
    CompletableFuture<Lease> third = ask(RENEWING);
    first.release(); // its block was of one token
    int acquires = store.acquires;
    second.join().release();
    assertThat(third).isCompleted();
    assertThat(store.acquires).isEqualTo(acquires);
  }

  @Test
  void doubtIsToldAtOnceAndEndsWithTheNextAnswer() {
    for (LockOptions options : List.of(FIXED, RENEWING, LockOptions.fixed(PART.dividedBy(2)))) {
      told.clear();
      Lease lease = take(options);
      store.silent = true;
      store.say(LockMessage.Kind.IN_DOUBT);
      store.say(LockMessage.Kind.IN_DOUBT);

      assertThat(told).containsExactly(LeaseState.IN_DOUBT);
      assertThat(lease.state()).isEqualTo(LeaseState.IN_DOUBT);
      lease.checkHeld(); // in doubt is still ours
      store.silent = false;
      time.advance(Duration.ofMillis(700));
      assertThat(told).containsExactly(LeaseState.IN_DOUBT, LeaseState.HELD);
      lease.release();
    }
  }

  @Test
  void doubtAboutALeaseThatIsNotLengthenedAnyMoreEndsToo() {
    for (int seconds : new int[] {2, 40}) { // within its first TTL, and after it
      told.clear();
      Lease lease = take(RENEWING.maxHold(Duration.ofSeconds(seconds)));
      pass(Duration.ofSeconds(seconds).plusMillis(200));
      store.silent = true;
      store.say(LockMessage.Kind.IN_DOUBT);
      store.silent = false;
      time.advance(Duration.ofMillis(700));
      assertThat(told).containsExactly(LeaseState.IN_DOUBT, LeaseState.HELD);
      pass(Duration.ofSeconds(30));
      assertThat(told).endsWith(LeaseState.LOST); // and is not outlived
    }
  }

  @Test
  void noTurnBeginsInDoubt() {
    Lease first = take(RENEWING);
    CompletableFuture<Lease> second = ask(RENEWING);
    CompletableFuture<Lease> third = ask(RENEWING);
    first.release();
    store.silent = true;
    store.say(LockMessage.Kind.IN_DOUBT);
    second.join().release();
    time.advance(Duration.ofMillis(10));
    assertThat(third).isNotDone();
    store.silent = false;
    time.advance(Duration.ofSeconds(2));
    assertThat(third).isCompleted();
  }

  @Test
  void doubtAboutWhatNobodyHoldsMeansNothing() {
    take(RENEWING).release();
    store.say(LockMessage.Kind.IN_DOUBT);
    assertThat(told).containsExactly(LeaseState.RELEASED);
    assertThat(sluice.lock("seat").tryAcquire()).isPresent();
  }

  /** Grants for five seconds at most, from the last request on. */
  private static final class ShortSighted implements Backend, GrantBackend {
    final MemoryBackend memory;
    boolean silent;
    int acquires;
    int renewals;
    private Consumer<LockMessage> listener = message -> {};

    ShortSighted(MemoryBackend memory) {
      this.memory = memory;
    }

    void say(LockMessage.Kind kind) {
      listener.accept(new LockMessage(kind, "seat"));
    }

    private <T> CompletionStage<T> answer(CompletionStage<T> reply) {
      return silent
          ? CompletableFuture.failedFuture(new OutcomeUnknownException("no answer", null))
          : reply;
    }

    private static long shortened(long micros) {
      return Math.min(micros, PART.toNanos() / 1000);
    }

    @Override
    public boolean mayGrantShorterThanTtl() {
      return true;
    }

    @Override
    public CompletionStage<GrantReply> acquire(GrantRequest request) {
      acquires++;
      if (silent) {
        return answer(new CompletableFuture<GrantReply>());
      }
      return memory
          .locks()
          .acquire(request)
          .thenApply(
              reply ->
                  reply instanceof GrantReply.Granted granted
                      ? new GrantReply.Granted(
                          granted.token(),
                          granted.block(),
                          shortened(granted.remainingMicros()),
                          granted.waiting())
                      : reply);
    }

    @Override
    public CompletionStage<RenewReply> renew(GrantAttempt attempt, long ttlMicros) {
      if (silent) {
        return answer(new CompletableFuture<RenewReply>());
      }
      renewals++;
      return memory
          .locks()
          .renew(attempt, ttlMicros)
          .thenApply(
              reply ->
                  reply instanceof RenewReply.Renewed renewed
                      ? new RenewReply.Renewed(
                          shortened(renewed.remainingMicros()), renewed.waiting())
                      : reply);
    }

    @Override
    public CompletionStage<Boolean> release(GrantAttempt attempt, int keep) {
      return silent ? answer(new CompletableFuture<Boolean>()) : memory.locks().release(attempt, 0);
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
    public CompletionStage<Void> listen(String client, Consumer<LockMessage> told) {
      listener = told;
      return memory.locks().listen(client, told);
    }

    @Override
    public void unlisten(String client) {
      memory.locks().unlisten(client);
    }

    @Override
    public String describe() {
      return "a store that sees five seconds ahead";
    }

    @Override
    public GrantBackend locks() {
      return this;
    }

    @Override
    public void close() {}
  }
}
