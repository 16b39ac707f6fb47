package dev.sluice.integration;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.LockOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;

/**
 * The cases of Spring Integration's tests for lock registries, as behaviour: re-entrancy, threads,
 * registries, expiry, renewal, custom TTLs and the memory of lock objects.
 */
abstract class LockRegistryBehaviour {
  private static final Duration BRIEF = Duration.ofSeconds(1);
  private static final Duration AGES = Duration.ofMinutes(1);

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private Sluice sluice;
  private Sluice otherProcess;

  abstract String uri();

  @BeforeEach
  void connect() {
    sluice = client();
    otherProcess = client();
  }

  private Sluice client() {
    return Sluice.builder().uri(uri()).requestTimeout(AGES).build();
  }

  @AfterEach
  void close() {
    threads.shutdownNow();
    otherProcess.close();
    sluice.close();
  }

  private SluiceLockRegistry registry() {
    return new SluiceLockRegistry(sluice, "registry");
  }

  private SluiceLockRegistry brief() {
    return new SluiceLockRegistry(sluice, "registry", LockOptions.fixed(BRIEF));
  }

  private SluiceLockRegistry registryOfAnotherProcess() {
    return new SluiceLockRegistry(otherProcess, "registry");
  }

  private LockInfo stored(String key) {
    return otherProcess.inspect().lock("registry/" + key);
  }

  private void awaitExpiry(String key) {
    await().atMost(AGES).until(() -> stored(key).holder().isEmpty());
  }

  /** Takes a brief lease; again where the grant comes after its end. */
  private static void take(Lock lock) {
    await()
        .atMost(AGES)
        .pollInSameThread()
        .ignoreExceptionsInstanceOf(CannotAcquireLockException.class)
        .until(lock::tryLock);
  }

  private <T> T elsewhere(Callable<T> task) throws Exception {
    return threads.submit(task).get(60, SECONDS);
  }

  /** The ways in that take no TTL. */
  enum Way {
    LOCK {
      @Override
      void enter(Lock lock) {
        lock.lock();
      }
    },
    LOCK_INTERRUPTIBLY {
      @Override
      void enter(Lock lock) throws InterruptedException {
        lock.lockInterruptibly();
      }
    },
    TRY {
      @Override
      void enter(Lock lock) {
        assertThat(lock.tryLock()).isTrue();
      }
    },
    TRY_FOR_A_WHILE {
      @Override
      void enter(Lock lock) throws InterruptedException {
        assertThat(lock.tryLock(60, SECONDS)).isTrue();
      }
    };

    abstract void enter(Lock lock) throws InterruptedException;
  }

  @ParameterizedTest
  @EnumSource
  void isTakenAndGivenBackTimeAndAgain(Way way) throws Exception {
    SluiceLockRegistry registry = registry();
    for (int i = 0; i < 10; i++) {
      Lock lock = registry.obtain("seat");
      way.enter(lock);
      assertThat(stored("seat").holder()).isPresent();
      assertThat(registry.keys()).containsExactly("seat");
      lock.unlock();
      assertThat(stored("seat").holder()).isEmpty();
    }
    registry.expireUnusedOlderThan(-1000);
    assertThat(registry.keys()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void isReentrantAndKeepsItsToken(Way way) throws Exception {
    SluiceLockRegistry registry = registry();
    SluiceLock outer = registry.obtain("seat");
    way.enter(outer);
    long token = outer.token();
    SluiceLock inner = registry.obtain("seat");
    assertThat(inner).isSameAs(outer).isEqualTo(outer);
    way.enter(inner);
    assertThat(inner.token()).isEqualTo(token);
    inner.unlock();
    assertThat(stored("seat").holder()).isPresent();
    outer.unlock();
    assertThat(stored("seat").holder()).isEmpty();

    way.enter(outer);
    assertThat(outer.token()).isGreaterThan(token);
    outer.unlock();
  }

  @Test
  void locksOfTwoKeysAreTwoLocks() {
    SluiceLockRegistry registry = registry();
    Lock one = registry.obtain("one");
    Lock two = registry.obtain("two");
    assertThat(one).isNotEqualTo(two);
    one.lock();
    two.lock();
    one.unlock();
    assertThat(stored("two").holder()).isPresent();
    two.unlock();
  }

  @Test
  void secondThreadIsRefusedAndOwnsNothing() throws Exception {
    SluiceLockRegistry registry = registry();
    Lock lock = registry.obtain("seat");
    lock.lock();
    boolean[] taken =
        elsewhere(
            () -> {
              Lock same = registry.obtain("seat");
              boolean[] answers = {
                same.tryLock(),
                same.tryLock(50, java.util.concurrent.TimeUnit.MILLISECONDS),
                registry.obtain("seat").tryLock(BRIEF, BRIEF)
              };
              assertThatThrownBy(same::unlock)
                  .isInstanceOf(IllegalStateException.class)
                  .hasMessageContaining("You do not own lock at registry/seat");
              return answers;
            });
    assertThat(taken).containsOnly(false);
    lock.unlock();
    assertThatThrownBy(lock::unlock).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void secondThreadGetsItNext() throws Exception {
    secondGetsItNext(registry(), null);
  }

  @Test
  void registryOfTheSameProcessGetsItNext() throws Exception {
    secondGetsItNext(registry(), registry());
  }

  @Test
  void registryOfAnotherProcessGetsItNext() throws Exception {
    secondGetsItNext(registry(), registryOfAnotherProcess());
  }

  private void secondGetsItNext(SluiceLockRegistry first, SluiceLockRegistry second)
      throws Exception {
    SluiceLock mine = first.obtain("seat");
    mine.lock();
    long token = mine.token();
    SluiceLock theirs = (second == null ? first : second).obtain("seat");
    CountDownLatch entered = new CountDownLatch(1);
    Future<Long> next =
        threads.submit(
            () -> {
              theirs.lockInterruptibly();
              entered.countDown();
              long got = theirs.token();
              theirs.unlock();
              return got;
            });
    assertThat(entered.await(100, java.util.concurrent.TimeUnit.MILLISECONDS)).isFalse();
    mine.unlock();
    assertThat(next.get(60, SECONDS)).isGreaterThan(token);
  }

  @Test
  void wrongThreadMayNotUnlock() throws Exception {
    Lock lock = registry().obtain("seat");
    lock.lock();
    elsewhere(
        () -> {
          assertThatThrownBy(lock::unlock).isInstanceOf(IllegalStateException.class);
          return null;
        });
    assertThat(stored("seat").holder()).isPresent();
    lock.unlock();
  }

  @Test
  void registriesExcludeEachOtherAndOtherNamesDoNot() {
    Lock one = registry().obtain("seat");
    Lock two = registry().obtain("seat");
    Lock far = registryOfAnotherProcess().obtain("seat");
    Lock foreign = new SluiceLockRegistry(sluice, "other").obtain("seat");
    assertThat(one).isNotEqualTo(two);
    one.lock();
    assertThat(two.tryLock()).isFalse();
    assertThat(far.tryLock()).isFalse();
    assertThat(foreign.tryLock()).isTrue();
    foreign.unlock();
    one.unlock();
    assertThat(far.tryLock()).isTrue();
    far.unlock();
  }

  @Test
  void expiredLockGoesToTheNextAndItsHolderIsToldAtUnlock() {
    SluiceLockRegistry registry = brief();
    Lock lost = registry.obtain("seat");
    take(lost);
    SluiceLock next = registryOfAnotherProcess().obtain("seat");
    awaitExpiry("seat");
    assertThat(next.tryLock()).isTrue();

    assertThatThrownBy(lost::lock).isInstanceOf(ConcurrentModificationException.class);
    assertThat(lost.tryLock()).isFalse();
    assertThatThrownBy(lost::unlock)
        .isInstanceOf(ConcurrentModificationException.class)
        .hasMessageContaining("Lock 'registry/seat' was released in the store due to expiration.");
    assertThatThrownBy(lost::unlock).isInstanceOf(IllegalStateException.class);
    assertThat(stored("seat").holder().orElseThrow().token()).isEqualTo(next.token());
    assertThatNoException().isThrownBy(next::unlock);
  }

  @Test
  void firstTryAfterALossIsRefusedAndTheNextTakesANewLease() {
    SluiceLock lock = registry().obtain("seat");
    lock.lock();
    long fence = forceRelease("seat");
    awaitLoss("seat");

    assertThat(lock.tryLock()).isFalse();
    assertThatThrownBy(lock::token).isInstanceOf(IllegalStateException.class);
    assertThat(lock.tryLock()).isTrue();
    assertThat(lock.token()).isGreaterThan(fence);
    assertThat(lock.tryLock()).as("re-entered").isTrue();
    lock.unlock();
    assertThat(stored("seat").holder()).isPresent();
    lock.unlock();
    assertThat(stored("seat").holder()).isEmpty();
    assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
    assertThatThrownBy(lock::unlock).isInstanceOf(IllegalStateException.class);
  }

  /** Returns the fence. */
  private long forceRelease(String key) {
    return otherProcess
        .lock("registry/" + key, LockOptions.defaults())
        .forceRelease()
        .orElseThrow()
        .fence();
  }

  private void awaitLoss(String key) {
    await()
        .atMost(AGES)
        .until(() -> sluice.lock("registry/" + key, LockOptions.defaults()).stats().losses() > 0);
  }

  @Test
  void onlyCandidateIsElectedAgainAfterAForcedRelease() {
    Queue<String> events = new ConcurrentLinkedQueue<>();
    Candidate candidate =
        new DefaultCandidate("one", "chief") {
          @Override
          public void onGranted(Context context) {
            events.add("granted");
          }

          @Override
          public void onRevoked(Context context) {
            events.add("revoked");
          }
        };
    LockRegistryLeaderInitiator initiator = new LockRegistryLeaderInitiator(registry(), candidate);
    initiator.setHeartBeatMillis(50);
    initiator.setBusyWaitMillis(50);
    initiator.start();
    try {
      await().atMost(AGES).until(() -> events.contains("granted"));
      for (int terms = 1; terms <= 2; terms++) {
        long fence = forceRelease("chief");
        int expected = 2 * terms + 1;
        await().atMost(AGES).until(() -> events.size() >= expected);
        assertThat(stored("chief").holder().orElseThrow().token()).isGreaterThan(fence);
        assertThat(initiator.getContext().isLeader()).isTrue();
      }
    } finally {
      initiator.destroy();
    }
    assertThat(new ArrayList<>(events).subList(0, 5))
        .containsExactly("granted", "revoked", "granted", "revoked", "granted");
    await().atMost(AGES).untilAsserted(() -> assertThat(stored("chief").holder()).isEmpty());
  }

  @Test
  void expiredLockMayBeTakenByAnotherThreadBeforeItsHolderUnlocks() throws Exception {
    SluiceLockRegistry registry = brief();
    Lock lock = registry.obtain("seat");
    take(lock);
    awaitExpiry("seat");
    elsewhere(
        () -> {
          DistributedLock same = registry.obtain("seat");
          same.lock(Duration.ofSeconds(30));
          same.unlock();
          return null;
        });
    assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
    assertThat(registryOfAnotherProcess().obtain("seat").tryLock()).as("it is free").isTrue();
  }

  @Test
  void refusedTryDoesNotLengthenTheLease() throws Exception {
    SluiceLockRegistry registry =
        new SluiceLockRegistry(sluice, "registry", LockOptions.fixed(Duration.ofSeconds(30)));
    Lock lock = registry.obtain("seat");
    lock.lock();
    LockInfo.Holder before = stored("seat").holder().orElseThrow();
    boolean taken = elsewhere(() -> lock.tryLock());
    assertThat(taken).isFalse();
    assertThat(registryOfAnotherProcess().obtain("seat").tryLock()).isFalse();
    LockInfo.Holder after = stored("seat").holder().orElseThrow();
    assertThat(after.remaining()).isLessThanOrEqualTo(before.remaining());
    assertThat(after.token()).isEqualTo(before.token());
    lock.unlock();
  }

  @Test
  void namedTtlIsHonoured() throws Exception {
    SluiceLockRegistry registry = brief();
    DistributedLock lock = registry.obtain("seat");
    lock.lock(Duration.ofSeconds(20));
    assertThat(stored("seat").holder().orElseThrow().remaining()).isGreaterThan(BRIEF);
    lock.unlock();
    assertThat(lock.tryLock(Duration.ofSeconds(20), Duration.ofSeconds(20))).isTrue();
    assertThat(stored("seat").holder().orElseThrow().remaining()).isGreaterThan(BRIEF);
    lock.unlock();

    DistributedLock renewing = registry().obtain("seat");
    renewing.lock(BRIEF);
    awaitExpiry("seat"); // who names a TTL is not renewed
    assertThatThrownBy(renewing::unlock).isInstanceOf(ConcurrentModificationException.class);
  }

  /** As Spring Integration's own registry for SQL databases does. */
  @Test
  void reentryWithAFixedTtlLengthensTheLease() throws Exception {
    SluiceLockRegistry registry =
        new SluiceLockRegistry(sluice, "registry", LockOptions.fixed(Duration.ofMinutes(2)));
    DistributedLock lock = registry.obtain("seat");
    lock.lock(Duration.ofMinutes(1));
    assertThat(lock.tryLock()).isTrue();
    assertThat(stored("seat").holder().orElseThrow().remaining())
        .isGreaterThan(Duration.ofSeconds(90));
    assertThat(lock.tryLock(Duration.ZERO, Duration.ofMinutes(5))).isTrue();
    assertThat(stored("seat").holder().orElseThrow().remaining())
        .isGreaterThan(Duration.ofMinutes(4));
    lock.lock(Duration.ofMinutes(1));
    assertThat(stored("seat").holder().orElseThrow().remaining())
        .as("never shortened")
        .isGreaterThan(Duration.ofMinutes(4));
    for (int i = 0; i < 4; i++) {
      lock.unlock();
    }
    assertThat(stored("seat").holder()).isEmpty();
  }

  @Test
  void leaseIsRenewedWhileItIsHeld() {
    SluiceLockRegistry registry =
        new SluiceLockRegistry(sluice, "registry", LockOptions.renewing(Duration.ofSeconds(15)));
    renewsPastItsTtl(registry);
  }

  @Test
  void schedulerForRenewalTurnsItOn() {
    SluiceLockRegistry registry =
        new SluiceLockRegistry(sluice, "registry", LockOptions.fixed(Duration.ofSeconds(15)));
    registry.setRenewalTaskScheduler(new SimpleAsyncTaskScheduler());
    renewsPastItsTtl(registry);
  }

  private void renewsPastItsTtl(SluiceLockRegistry registry) {
    Lock lock = registry.obtain("seat");
    lock.lock();
    AtomicReference<Duration> last = new AtomicReference<>(Duration.ofDays(1));
    await("the time left grows")
        .atMost(AGES)
        .until(
            () -> {
              Duration left = stored("seat").holder().orElseThrow().remaining();
              return left.compareTo(last.getAndSet(left)) > 0;
            });
    assertThatNoException().isThrownBy(lock::unlock);
  }

  @Test
  void renewalByHandLengthensTheLease() throws Exception {
    SluiceLockRegistry registry = registry();
    DistributedLock lock = registry.obtain("seat");
    assertThat(lock.tryLock(Duration.ofSeconds(20), Duration.ofSeconds(10))).isTrue();
    registry.renewLock("seat");
    assertThat(stored("seat").holder().orElseThrow().remaining())
        .isGreaterThan(Duration.ofSeconds(15));
    registry.renewLock("seat", Duration.ofMinutes(5));
    assertThat(stored("seat").holder().orElseThrow().remaining())
        .isGreaterThan(Duration.ofMinutes(4));
    lock.unlock();
  }

  @Test
  void renewalByHandIsForTheHolder() throws Exception {
    SluiceLockRegistry registry = brief();
    Lock lock = registry.obtain("seat");
    assertThatThrownBy(() -> registry.renewLock("seat")).isInstanceOf(IllegalStateException.class);
    take(lock);
    elsewhere(
        () -> {
          assertThatThrownBy(() -> registry.renewLock("seat"))
              .isInstanceOf(IllegalStateException.class);
          return null;
        });
    awaitExpiry("seat");
    assertThatThrownBy(() -> registry.renewLock("seat"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Could not renew");
    assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
  }

  @Test
  void interruptionEndsTheWaitWhereItShould() throws Exception {
    Lock held = registry().obtain("seat");
    held.lock();
    SluiceLockRegistry other = registryOfAnotherProcess();
    AtomicReference<Thread> waiter = new AtomicReference<>();
    Future<Void> interruptible =
        threads.submit(
            () -> {
              waiter.set(Thread.currentThread());
              assertThatThrownBy(other.obtain("seat")::lockInterruptibly)
                  .isInstanceOf(InterruptedException.class);
              return null;
            });
    await().until(() -> !stored("seat").waiters().isEmpty());
    waiter.get().interrupt();
    interruptible.get(60, SECONDS);
    await().until(() -> stored("seat").waiters().isEmpty()); // its ticket is taken back later

    Future<Boolean> patient =
        threads.submit(
            () -> {
              waiter.set(Thread.currentThread());
              Lock lock = other.obtain("seat");
              lock.lock();
              lock.unlock(); // an interrupted thread gives back what it holds
              return Thread.interrupted();
            });
    await().until(() -> !stored("seat").waiters().isEmpty());
    waiter.get().interrupt();
    held.unlock();
    assertThat(patient.get(60, SECONDS)).isTrue();
    await().until(() -> stored("seat").holder().isEmpty());
  }

  @Test
  void wakeUpGoesToOneAndTheOtherWaitsOn() throws Exception {
    Lock held = registry().obtain("seat");
    held.lock();
    AtomicInteger taken = new AtomicInteger();
    List<Future<Boolean>> waiting = new ArrayList<>();
    CountDownLatch done = new CountDownLatch(1);
    for (Sluice process : List.of(sluice, otherProcess)) {
      Lock lock = new SluiceLockRegistry(process, "registry").obtain("seat");
      waiting.add(
          threads.submit(
              () -> {
                boolean got = lock.tryLock(60, SECONDS);
                taken.incrementAndGet();
                done.await();
                lock.unlock();
                return got;
              }));
    }
    await().until(() -> !stored("seat").waiters().isEmpty());
    held.unlock();
    await().until(() -> taken.get() > 0);
    assertThat(taken.get()).isEqualTo(1);
    assertThat(waiting).noneMatch(Future::isDone);
    done.countDown();
    for (Future<Boolean> one : waiting) {
      assertThat(one.get(60, SECONDS)).isTrue();
    }
  }

  @Test
  void manyRegistriesCountTogether() throws Exception {
    int[] counter = {0};
    List<Callable<Void>> tasks = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      SluiceLockRegistry registry = i % 2 == 0 ? registry() : registryOfAnotherProcess();
      tasks.add(
          () -> {
            for (int turn = 0; turn < 20; turn++) {
              registry.executeLocked("counter", () -> counter[0]++);
            }
            return null;
          });
    }
    for (Future<Void> task : threads.invokeAll(tasks, 180, SECONDS)) {
      task.get();
    }
    assertThat(counter[0]).isEqualTo(200);
  }

  @Test
  void taskThatWaitedTooLongDoesNotRun() throws Exception {
    Lock held = registry().obtain("seat");
    held.lock();
    SluiceLockRegistry other = registryOfAnotherProcess();
    AtomicInteger runs = new AtomicInteger();
    assertThatThrownBy(
            () ->
                other.executeLocked(
                    "seat",
                    Duration.ofSeconds(2),
                    () -> {
                      runs.incrementAndGet();
                    }))
        .isInstanceOf(TimeoutException.class);
    held.unlock();
    int result = other.executeLocked("seat", AGES, () -> 42);
    assertThat(result).isEqualTo(42);
    assertThat(runs).hasValue(0);
  }

  @Test
  void rememberedLocksAreBoundedAndTheLongestUnusedGoesFirst() {
    SluiceLockRegistry registry = registry();
    registry.setCacheCapacity(3);
    for (String key : List.of("a", "b", "c", "a", "d")) {
      registry.obtain(key);
    }
    assertThat(registry.keys()).containsExactly("c", "a", "d");
    registry.setCacheCapacity(2);
    registry.obtain("e");
    assertThat(registry.keys()).containsExactly("d", "e");
    assertThatThrownBy(() -> registry.setCacheCapacity(0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void heldLockIsNeverForgotten() {
    SluiceLockRegistry registry = registry();
    registry.setCacheCapacity(1);
    Lock held = registry.obtain("held");
    held.lock();
    for (int i = 0; i < 5; i++) {
      Lock other = registry.obtain("other" + i);
      other.lock();
      other.unlock();
    }
    registry.expireUnusedOlderThan(-1000);
    assertThat(registry.keys()).containsExactly("held");
    assertThat(registry.obtain("held")).isSameAs(held);
    registry.obtain("held").unlock();
  }

  @Test
  void lockThatWasForgottenBeforeItsUseIsRememberedWithIt() {
    SluiceLockRegistry registry = registry();
    registry.setCacheCapacity(1);
    SluiceLock forgotten = registry.obtain("seat");
    registry.obtain("other");
    assertThat(registry.keys()).containsExactly("other");

    forgotten.lock();
    registry.expireUnusedOlderThan(-1000);
    assertThat(registry.obtain("seat")).isSameAs(forgotten);
    registry.renewLock("seat", Duration.ofMinutes(5));
    forgotten.unlock();
    assertThat(stored("seat").holder()).isEmpty();
  }

  @Test
  void twoLockObjectsOfOneKeyAreOneLock() throws Exception {
    SluiceLockRegistry registry = registry();
    SluiceLock forgotten = registry.obtain("seat");
    registry.expireUnusedOlderThan(-1000);
    SluiceLock latest = registry.obtain("seat");
    assertThat(latest).isNotSameAs(forgotten);

    forgotten.lock();
    assertThat(latest.tryLock()).as("re-entered").isTrue();
    assertThat(latest.token()).isEqualTo(forgotten.token());
    assertThat(elsewhere(() -> latest.tryLock())).isFalse();
    latest.unlock();
    assertThat(stored("seat").holder()).isPresent();
    latest.unlock();
    assertThat(stored("seat").holder()).isEmpty();
    assertThatThrownBy(forgotten::unlock).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void obtainingIsSafeFromManyThreads() throws Exception {
    SluiceLockRegistry registry = registry();
    registry.setCacheCapacity(50);
    List<Callable<Void>> tasks = new ArrayList<>();
    for (int thread = 0; thread < 4; thread++) {
      int first = thread * 50;
      tasks.add(
          () -> {
            for (int i = first; i < first + 50; i++) {
              Lock lock = registry.obtain("key" + i);
              lock.lock();
              lock.unlock();
            }
            return null;
          });
    }
    for (Future<Void> task : threads.invokeAll(tasks, 180, SECONDS)) {
      task.get();
    }
    assertThat(registry.keys()).hasSize(50);
    registry.expireUnusedOlderThan(-1000);
    assertThat(registry.keys()).isEmpty();
  }

  @Test
  void forgettingAndObtainingAtOnceGivesOneLock() throws Exception {
    SluiceLockRegistry registry = registry();
    for (int i = 0; i < 100; i++) {
      String key = "key" + i;
      CyclicBarrier start = new CyclicBarrier(2);
      Callable<Lock> task =
          () -> {
            start.await();
            registry.expireUnusedOlderThan(10_000);
            Lock lock = registry.obtain(key);
            assertThat(lock.tryLock(60, SECONDS)).isTrue();
            lock.unlock();
            return lock;
          };
      Future<Lock> one = threads.submit(task);
      Future<Lock> two = threads.submit(task);
      assertThat(one.get(60, SECONDS)).isSameAs(two.get(60, SECONDS));
    }
  }

  @Test
  void holdOfADeadThreadIsForgottenWithItsLease() throws Exception {
    SluiceLockRegistry registry = brief();
    Thread owner = new Thread(() -> registry.obtain("seat").lock());
    owner.start();
    owner.join();
    awaitExpiry("seat");
    await()
        .untilAsserted(
            () -> {
              registry.expireUnusedOlderThan(-1000);
              assertThat(registry.keys()).isEmpty();
            });
  }

  @Test
  void refusesWhatIsNoKey() {
    SluiceLockRegistry registry = registry();
    assertThatThrownBy(() -> registry.obtain(42))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("lockKey must be a String: 42");
    assertThatThrownBy(() -> registry.obtain("x".repeat(600)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(registry.keys()).isEmpty();
    assertThatThrownBy(() -> registry.obtain("seat").newCondition())
        .isInstanceOf(UnsupportedOperationException.class);
  }
}
