package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import dev.sluice.inventory.Inventory;
import dev.sluice.inventory.Sale;
import dev.sluice.latch.DistributedLatch;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.DistributedReadWriteLock;
import dev.sluice.lock.DistributedSemaphore;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseLock;
import dev.sluice.lock.MultiLock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The rules of interruption in the documentation of the package, for a thread that is interrupted
 * before it calls. The contracts of the stores interrupt threads that wait.
 */
class InterruptionTest {
  private static final Duration AGES = Duration.ofSeconds(30);

  private final Sluice sluice = Sluice.connect("memory:");
  private final DistributedLock lock = sluice.lock("lock");
  private final MultiLock both = sluice.multiLock("one", "two");
  private final DistributedSemaphore seats = sluice.semaphore("seats", 2);
  private final DistributedReadWriteLock pair = sluice.readWriteLock("pair");
  private final DistributedLatch latch = sluice.latch("latch");
  private final RateLimiter limiter =
      sluice.rateLimiter("limiter", Limit.tokenBucket(100, Duration.ofHours(1)));

  @AfterEach
  void close() {
    assertThat(Thread.interrupted()).as("left interrupted").isFalse();
    sluice.close();
  }

  @Test
  void methodsThatWaitForOthersThrowAndTakeNothing() {
    latch.trySetCount(1);
    Map<String, List<ThrowingCallable>> waits = new LinkedHashMap<>();
    waits.put("lock 'lock'", ofLock(lock));
    waits.put("read lock 'pair'", ofLock(pair.readLock()));
    waits.put("write lock 'pair'", ofLock(pair.writeLock()));
    waits.put(
        "locks [one, two]",
        List.of(
            () -> both.acquire(AGES),
            () -> both.tryAcquire(AGES),
            () -> both.run(AGES, () -> {}),
            () -> both.call(AGES, () -> 1)));
    waits.put(
        "semaphore 'seats'",
        List.of(
            () -> seats.acquire(AGES),
            () -> seats.acquire(2, AGES),
            () -> seats.tryAcquire(AGES),
            () -> seats.tryAcquire(2, AGES),
            () -> seats.run(AGES, () -> {}),
            () -> seats.call(AGES, () -> 1)));
    waits.put("latch 'latch'", List.of(() -> latch.await(AGES), () -> latch.await(Duration.ZERO)));
    waits.put(
        "'limiter'",
        List.of(
            () -> limiter.acquire("k", 1, AGES), () -> limiter.tryAcquire("k", 1, Duration.ZERO)));
    waits.forEach(
        (what, calls) ->
            calls.forEach(
                call -> {
                  Thread.currentThread().interrupt();
                  assertThatThrownBy(call)
                      .as(what)
                      .isInstanceOf(InterruptedException.class)
                      .hasMessageStartingWith("interrupted while waiting for ")
                      .hasMessageContaining(what);
                  assertThat(Thread.interrupted()).as(what).isFalse();
                }));
    assertThat(lock.info().holder()).isEmpty();
    assertThat(pair.info().holders()).isEmpty();
    assertThat(sluice.lock("one").info().holder()).isEmpty();
    assertThat(seats.info().holders()).isEmpty();
    assertThat(latch.info().count()).isEqualTo(1);
    assertThat(limiter.stats().allowed()).isZero();
  }

  private static List<ThrowingCallable> ofLock(LeaseLock lock) {
    return List.of(
        () -> lock.acquire(AGES),
        () -> lock.acquire(Duration.ZERO),
        () -> lock.tryAcquire(AGES),
        () -> lock.run(AGES, () -> {}),
        () -> lock.call(AGES, () -> 1));
  }

  @Test
  void otherMethodsAnswerAndTheThreadStaysInterrupted() {
    BloomFilter<String> filter =
        sluice.bloomFilter("users", Funnel.utf8(), BloomSpec.of(100, 0.01));
    Inventory stock = sluice.inventory("shoes");
    List<ThrowingCallable> calls =
        List.of(
            () -> {
              try (Lease lease = lock.tryAcquire().orElseThrow()) {
                assertThat(lease.renew(AGES)).isTrue();
              }
            },
            () -> lock.releaseAfter(lock.tryAcquire().orElseThrow(), Duration.ofMillis(1)),
            () -> assertThat(lock.info()).isNotNull(),
            lock::forceRelease,
            () -> both.tryAcquire().orElseThrow().close(),
            () -> seats.tryAcquire(2).orElseThrow().close(),
            () -> assertThat(seats.info().capacity()).isEqualTo(2),
            () -> seats.resize(3),
            () -> pair.downgrade(pair.writeLock().tryAcquire().orElseThrow()).close(),
            () -> assertThat(pair.info()).isNotNull(),
            () -> assertThat(latch.trySetCount(1)).isTrue(),
            () -> assertThat(latch.countDown()).isZero(),
            () -> assertThat(latch.info().isOpen()).isTrue(),
            () -> assertThat(limiter.tryAcquire("k", 2).allowed()).isTrue(),
            () -> assertThat(limiter.peek("k", 1).allowed()).isTrue(),
            () -> limiter.reserve("k", 1, AGES).cancel(),
            () -> limiter.refund("k", 1),
            () -> limiter.reset("k"),
            filter::create,
            () -> assertThat(filter.add("ann")).isTrue(),
            () -> assertThat(filter.mightContain("ann")).isTrue(),
            () -> filter.rebuild(BloomSpec.of(100, 0.01), () -> Stream.of("bob")),
            () -> assertThat(filter.info()).isPresent(),
            filter::clear,
            () -> assertThat(filter.delete()).isTrue(),
            () -> assertThat(stock.open(Sale.epoch(1).total(2)).left()).isEqualTo(2),
            () -> assertThat(stock.claim("ann", 1, "r").isClaimed()).isTrue(),
            () -> assertThat(stock.find("ann")).isPresent(),
            () -> assertThat(stock.info().left()).isEqualTo(1),
            () -> stock.close(1),
            () -> sluice.inspect().lockNames(10));
    for (int i = 0; i < calls.size(); i++) {
      Thread.currentThread().interrupt();
      try {
        calls.get(i).call();
      } catch (Throwable failure) {
        throw new AssertionError("call " + i, failure);
      }
      assertThat(Thread.interrupted()).as("call %d left the thread interrupted", i).isTrue();
    }
  }
}
