package dev.sluice.internal.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.MissingDataException;
import dev.sluice.NoQuorumException;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.LockTimeoutException;
import dev.sluice.memory.ManualTime;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.GrantRequest;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/**
 * Behaviour that only a test inside the package sees: timers, memory, and a client with other
 * arithmetic.
 */
class GrantEngineTest {
  private static final Duration TTL = Duration.ofSeconds(3);

  private final ManualTime time = new ManualTime();
  private final MemoryBackend store = new MemoryBackend(time::storeMicros);

  private GrantEngine engine(String client) {
    return engine(client, new LeaseRules(0.01));
  }

  private GrantEngine engine(String client, LeaseRules rules) {
    return engine(store.locks(), client, rules);
  }

  private GrantEngine engine(GrantBackend backend, String client, LeaseRules rules) {
    return GrantEngine.ofLocks(
        backend,
        new GrantParts(
            "memory", client, time, time, new Random(1), Runnable::run, rules, Duration.ofDays(1)));
  }

  @Test
  void noTimerOutlivesItsUse() throws Exception {
    GrantEngine a = engine("a");
    GrantEngine b = engine("b");
    DistributedLock lock = a.lock("seat", LockOptions.renewing(TTL));
    Lease lease = lock.tryAcquire().orElseThrow();
    assertThat(a.pendingTimers()).isEqualTo(1);
    time.advance(TTL.multipliedBy(4));
    assertThat(a.pendingTimers()).isEqualTo(1);

    CompletableFuture<Lease> timesOut =
        b.lock("seat", LockOptions.renewing(TTL)).async().acquire(TTL).toCompletableFuture();
    CompletableFuture<Lease> cancelled =
        b.lock("seat", LockOptions.renewing(TTL)).async().acquire(TTL).toCompletableFuture();
    assertThat(b.pendingTimers()).isEqualTo(3); // two ends of waits and a poll
    cancelled.cancel(false);
    time.advance(TTL);
    assertThatThrownBy(timesOut::join).hasCauseInstanceOf(LockTimeoutException.class);
    assertThat(b.pendingTimers()).isZero();

    lease.close();
    assertThat(a.pendingTimers()).isZero();
    for (int i = 0; i < 1000; i++) {
      lock.tryAcquire().orElseThrow().close();
    }
    assertThat(a.pendingTimers()).isZero();
  }

  @Test
  void anAttemptThatAQuorumTakesBackIsNotRepeated() {
    List<Long> attempts = new ArrayList<>();
    GrantBackend quorum =
        (GrantBackend)
            Proxy.newProxyInstance(
                GrantBackend.class.getClassLoader(),
                new Class<?>[] {GrantBackend.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("acquire")) {
                    attempts.add(((GrantRequest) arguments[0]).attempt());
                    if (attempts.size() == 1) {
                      return CompletableFuture.failedFuture(
                          new NoQuorumException("2 of 5 nodes answered", null));
                    }
                  }
                  return method.invoke(store.locks(), arguments);
                });
    CompletableFuture<Lease> asked =
        engine(quorum, "a", new LeaseRules(0.01))
            .lock("seat", LockOptions.fixed(TTL))
            .async()
            .acquire(TTL)
            .toCompletableFuture();
    time.advance(Duration.ofSeconds(1));
    assertThat(asked.join().state()).isEqualTo(LeaseState.HELD);
    assertThat(attempts).hasSize(2).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void coordinatorThatHasRetiredIsReplacedByTheNextCaller() {
    GrantEngine a = engine("a");
    a.coordinator("seat").retire(); // the thread that did so has yet to remove it
    DistributedLock lock = a.lock("seat", LockOptions.fixed(TTL));
    Executor ownThread =
        task -> {
          Thread thread = new Thread(task);
          thread.setDaemon(true); // it would spin for ever
          thread.start();
        };
    assertThat(CompletableFuture.supplyAsync(lock::tryAcquire, ownThread))
        .succeedsWithin(Duration.ofMinutes(1))
        .matches(Optional::isPresent);
  }

  @Test
  void lostLeaseLeavesNoTimer() {
    GrantEngine a = engine("a");
    Lease lease = a.lock("seat", LockOptions.fixed(TTL)).tryAcquire().orElseThrow();
    time.advance(TTL);
    assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    assertThat(a.pendingTimers()).isZero();
  }

  @Test
  void lossIsToldByTheClientsOwnTimerBeforeTheStoresEnd() {
    GrantEngine a = engine("a");
    List<LeaseState> heard = new ArrayList<>();
    a.lock("seat", LockOptions.fixed(TTL))
        .tryAcquire()
        .orElseThrow()
        .onChange((lease, state) -> heard.add(state));
    time.advance(TTL.minusMillis(32)); // margin: 1 % and 1 ms
    assertThat(heard).isEmpty();
    time.advance(Duration.ofMillis(1));
    assertThat(heard).containsExactly(LeaseState.LOST);
  }

  @Test
  void memoryIsBoundedOverManyNames() {
    GrantEngine a = engine("a");
    for (int i = 0; i < 30_000; i++) {
      a.lock("seat/" + i, LockOptions.defaults()).tryAcquire().orElseThrow().close();
    }
    assertThat(a.hasManyCells()).isFalse();
    assertThat(a.pendingTimers()).isZero();
    time.advance(Duration.ofSeconds(62));
    assertThat(store.locks().names(10).toCompletableFuture().join()).isEmpty();
  }

  @Test
  void smallerTokenThanBeforeIsRefused() {
    GrantEngine a = engine("a");
    long token;
    try (Lease lease = a.lock("seat", LockOptions.defaults()).tryAcquire().orElseThrow()) {
      token = lease.token();
    }
    store.clear();
    time.stepStoreClock(Duration.ofSeconds(-1));

    assertThatThrownBy(() -> a.lock("seat", LockOptions.defaults()).tryAcquire())
        .isExactlyInstanceOf(MissingDataException.class)
        .hasMessage(
            "lock 'seat': the store granted token %d after %d was seen; refused, since tokens must"
                + " grow. The store lost its data: check its clock",
            token - 1_000_000, token);
    assertThat(a.lockInfo("seat").holder()).isEmpty();
  }
}
