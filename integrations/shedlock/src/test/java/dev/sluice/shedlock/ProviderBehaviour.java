package dev.sluice.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.BackendException;
import dev.sluice.Sluice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The cases of ShedLock's suites for lock providers (the basic one, the extensible one, and the
 * fuzz test) as behaviour: those suites are not among its artifacts. Two clients stand for two
 * processes.
 */
abstract class ProviderBehaviour {
  private static final Duration FIVE_MINUTES = Duration.ofMinutes(5);
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private Sluice sluice;
  private Sluice otherProcess;
  private LockProvider provider;
  private LockProvider otherProvider;

  abstract String uri();

  @BeforeEach
  void connect() {
    sluice = client();
    otherProcess = client();
    provider = new SluiceLockProvider(sluice);
    otherProvider = new SluiceLockProvider(otherProcess);
  }

  private Sluice client() {
    return Sluice.builder().uri(uri()).requestTimeout(PATIENCE).build();
  }

  @AfterEach
  void close() {
    otherProcess.close();
    sluice.close();
  }

  private static LockConfiguration task(String name, Duration atMost, Duration atLeast) {
    return new LockConfiguration(ClockProvider.now(), name, atMost, atLeast);
  }

  private static LockConfiguration task(String name) {
    return task(name, FIVE_MINUTES, Duration.ZERO);
  }

  private SimpleLock taken(Duration atMost, Duration atLeast) {
    SimpleLock lock = provider.lock(task("report", atMost, atLeast)).orElseThrow();
    assertThat(isLocked()).isTrue();
    return lock;
  }

  /** May be over at any moment, however slow this machine is. */
  private SimpleLock brief() {
    return soonOver(Duration.ofMillis(50));
  }

  private SimpleLock soonOver(Duration atMost) {
    return eventually(() -> provider.lock(task("report", atMost, Duration.ZERO)));
  }

  /** Again where the grant comes after its end. */
  private static SimpleLock eventually(Callable<Optional<SimpleLock>> attempt) {
    return await()
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(BackendException.class)
        .until(attempt, Optional::isPresent)
        .orElseThrow();
  }

  private boolean isLocked() {
    return otherProcess
        .inspect()
        .lock(SluiceLockProvider.DEFAULT_PREFIX + "report")
        .holder()
        .isPresent();
  }

  private void assertRefused() {
    assertThat(provider.lock(task("report"))).as("in this process").isEmpty();
    assertThat(otherProvider.lock(task("report"))).as("in another process").isEmpty();
  }

  @Test
  void lockIsTakenAndGivenBack() {
    SimpleLock lock = taken(FIVE_MINUTES, Duration.ZERO);
    assertRefused();
    lock.unlock();
    assertThat(isLocked()).isFalse();
  }

  @Test
  void lockIsThereForTheNextRightAfterEachUnlock() {
    for (int i = 0; i < 10; i++) {
      LockProvider turn = i % 2 == 0 ? provider : otherProvider;
      SimpleLock lock = turn.lock(task("report")).orElseThrow();
      assertRefused();
      lock.unlock();
    }
  }

  @Test
  void tasksAreIndependent() {
    SimpleLock report = provider.lock(task("report")).orElseThrow();
    SimpleLock cleanup = provider.lock(task("cleanup")).orElseThrow();
    report.unlock();
    cleanup.unlock();
  }

  @Test
  void lockEndsAtMostForLater() {
    brief();
    await().atMost(PATIENCE).until(() -> !isLocked());
    otherProvider.lock(task("report")).orElseThrow().unlock();
  }

  @Test
  void lateUnlockLeavesTheNextHolderAlone() {
    SimpleLock late = brief();
    await().atMost(PATIENCE).until(() -> !isLocked());
    SimpleLock next = otherProvider.lock(task("report")).orElseThrow();
    late.unlock();
    assertThat(isLocked()).isTrue();
    next.unlock();
  }

  @Test
  void lockIsKeptAtLeastForAfterTheUnlock() {
    long start = System.nanoTime();
    Duration atLeast = Duration.ofMillis(500);
    taken(FIVE_MINUTES, atLeast).unlock();

    Optional<SimpleLock> next =
        await()
            .atMost(PATIENCE)
            .until(() -> otherProvider.lock(task("report")), Optional::isPresent);
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(atLeast.minusMillis(5).toNanos());
    next.orElseThrow().unlock();
  }

  @Test
  void nobodyGetsItInTheMeantime() {
    taken(FIVE_MINUTES, Duration.ofMinutes(1)).unlock();
    assertRefused();
    assertThat(isLocked()).isTrue();
  }

  @Test
  void taskThatTookLongerThanAtLeastForFreesTheLockAtOnce() {
    SimpleLock lock = taken(FIVE_MINUTES, Duration.ofMillis(20));
    long start = System.nanoTime();
    await()
        .pollInterval(Duration.ofMillis(5))
        .until(() -> System.nanoTime() - start > TimeUnit.MILLISECONDS.toNanos(40));
    lock.unlock();
    assertThat(isLocked()).isFalse();
  }

  @Test
  void extendedLockOutlivesItsFirstTime() {
    Duration first = Duration.ofSeconds(3);
    SimpleLock longer =
        eventually(
            () ->
                provider
                    .lock(task("report", first, Duration.ZERO))
                    .flatMap(lock -> lock.extend(FIVE_MINUTES, Duration.ZERO)));
    long start = System.nanoTime();
    await().atMost(PATIENCE).until(() -> System.nanoTime() - start > first.toNanos());
    assertThat(isLocked()).isTrue();
    longer.unlock();
    assertThat(isLocked()).isFalse();
  }

  @Test
  void extensionMayKeepTheLockAtLeastForAWhile() {
    SimpleLock lock = taken(FIVE_MINUTES, Duration.ZERO);
    lock.extend(FIVE_MINUTES, Duration.ofMinutes(4)).orElseThrow().unlock();
    assertThat(isLocked()).isTrue();
    assertRefused();
  }

  @Test
  void whatIsOverIsNotExtended() {
    SimpleLock unlocked = taken(FIVE_MINUTES, Duration.ZERO);
    unlocked.unlock();
    assertThatThrownBy(() -> unlocked.extend(FIVE_MINUTES, Duration.ZERO))
        .isInstanceOf(IllegalStateException.class);

    SimpleLock expired = soonOver(Duration.ofMillis(1));
    long start = System.nanoTime();
    await()
        .pollInterval(Duration.ofMillis(1))
        .until(() -> System.nanoTime() - start > TimeUnit.MILLISECONDS.toNanos(2));
    assertThat(expired.extend(FIVE_MINUTES, Duration.ZERO)).isEmpty();
    await().atMost(PATIENCE).until(() -> !isLocked()); // the store's shortest lease is longer

    SimpleLock lost = brief();
    await().atMost(PATIENCE).until(() -> !isLocked());
    SimpleLock next = otherProvider.lock(task("report")).orElseThrow();
    assertThat(lost.extend(FIVE_MINUTES, Duration.ZERO)).isEmpty();
    assertThat(isLocked()).isTrue();
    next.unlock();
  }

  @Test
  void extendedLockIsSpentAndOnlyItsSuccessorCounts() {
    SimpleLock lock = taken(Duration.ofMinutes(1), Duration.ZERO);
    SimpleLock longer = lock.extend(FIVE_MINUTES, Duration.ZERO).orElseThrow();
    assertThatThrownBy(lock::unlock).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> lock.extend(FIVE_MINUTES, Duration.ZERO))
        .isInstanceOf(IllegalStateException.class);
    assertThat(isLocked()).isTrue();
    longer.unlock();
  }

  /** Counters without any other protection; threads of two processes. */
  @Test
  void nothingIsLostWhenManyCountUnderTheLock() throws Exception {
    int threads = 8;
    int turns = 100;
    int[] counters = new int[2];
    List<Callable<Void>> tasks = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int which = i % 2;
      LockProvider mine = i < threads / 2 ? provider : otherProvider;
      tasks.add(
          () -> {
            for (int done = 0; done < turns; ) {
              Optional<SimpleLock> lock =
                  mine.lock(task("count-" + which, FIVE_MINUTES, Duration.ofMillis(1)));
              if (lock.isPresent()) {
                int seen = counters[which];
                Thread.yield();
                counters[which] = seen + 1;
                lock.get().unlock();
                done++;
              } else {
                LockSupport.parkNanos(200_000); // leaves the cores to the one who has it
              }
            }
            return null;
          });
    }
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      for (Future<Void> task : pool.invokeAll(tasks, 3, TimeUnit.MINUTES)) {
        task.get();
      }
    } finally {
      pool.shutdownNow();
    }
    assertThat(counters).containsOnly(threads / 2 * turns);
  }
}
