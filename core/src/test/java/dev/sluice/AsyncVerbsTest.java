package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import dev.sluice.inventory.AsyncInventory;
import dev.sluice.inventory.ClaimState;
import dev.sluice.inventory.Reconciliation;
import dev.sluice.inventory.Sale;
import dev.sluice.latch.AsyncLatch;
import dev.sluice.latch.LatchInfo;
import dev.sluice.lock.AsyncDistributedLock;
import dev.sluice.lock.AsyncMultiLock;
import dev.sluice.lock.AsyncSemaphore;
import dev.sluice.lock.DistributedSemaphore;
import dev.sluice.lock.ForcedRelease;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.MultiLease;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The asynchronous verbs answer what the blocking ones answer. */
class AsyncVerbsTest {
  private static final Duration NO_TIME = Duration.ofMillis(1);
  private static final Duration AGES = Duration.ofSeconds(30);

  private final Sluice sluice = Sluice.connect("memory:");

  @AfterEach
  void close() {
    sluice.close();
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(1, TimeUnit.MINUTES).join();
  }

  @Test
  void ofLocks() {
    AsyncDistributedLock lock = sluice.lock("seat").async();
    Lease first = get(lock.acquire(AGES));
    assertThat(get(lock.info()).holder().orElseThrow().token()).isEqualTo(first.token());
    assertThat(get(first.renewAsync(AGES))).isTrue();
    Optional<ForcedRelease> none = get(lock.forceRelease(first.token() + 1));
    assertThat(none).isEmpty();
    assertThat(get(lock.forceRelease()).orElseThrow().holder().token()).isEqualTo(first.token());
    assertThat(get(first.renewAsync(AGES))).isFalse();

    Lease second = get(lock.tryAcquire(AGES)).orElseThrow();
    assertThat(get(lock.releaseAfter(second, Duration.ZERO))).isTrue();
    Lease third = get(lock.acquire(AGES));
    assertThat(get(lock.releaseAfter(third, AGES))).isTrue();
    assertThat(third.state()).isEqualTo(LeaseState.RELEASED);
    assertThat(get(lock.tryAcquire())).isEmpty();
    assertThatThrownBy(() -> lock.releaseAfter(third, Duration.ofDays(2)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> lock.forceRelease(0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void ofSemaphores() {
    AsyncSemaphore seats = sluice.semaphore("seats", 3).async();
    Lease two = get(seats.tryAcquire(2)).orElseThrow();
    assertThat(get(seats.tryAcquire(2, NO_TIME))).isEmpty();
    Lease one = get(seats.acquire(AGES));
    assertThat(get(seats.tryAcquire())).isEmpty();
    assertThat(get(seats.tryAcquire(NO_TIME))).isEmpty();
    assertThat(get(seats.info()).available()).isZero();
    DistributedSemaphore larger = get(seats.resize(4));
    assertThat(larger.permits()).isEqualTo(4);
    assertThat(get(larger.async().info()).available()).isEqualTo(1);
    assertThatThrownBy(() -> seats.tryAcquire(4)).isInstanceOf(IllegalArgumentException.class);
    two.close();
    one.close();
  }

  @Test
  void ofMultiLocks() {
    AsyncMultiLock both = sluice.multiLock("a", "b").async();
    MultiLease held = get(both.acquire(AGES));
    assertThat(get(held.renewAsync(AGES))).isTrue();
    assertThat(get(both.tryAcquire(NO_TIME))).isEmpty();
    held.close();
    assertThat(get(held.renewAsync(AGES))).isFalse();
    MultiLease next = get(both.tryAcquire(AGES)).orElseThrow();
    next.close();
  }

  @Test
  void ofLatches() {
    AsyncLatch latch = sluice.latch("ready").async();
    assertThat(get(latch.await(AGES))).as("never set").isTrue();
    assertThat(get(latch.trySetCount(2))).isTrue();
    assertThat(get(latch.trySetCount(3, AGES))).isFalse();
    assertThat(get(latch.await(Duration.ZERO))).isFalse();
    assertThat(get(latch.await(NO_TIME))).isFalse();
    CompletableFuture<Boolean> waiting = latch.await(AGES).toCompletableFuture();
    CompletableFuture<Boolean> left = latch.await(AGES).toCompletableFuture();
    assertThat(left.cancel(false)).isTrue();
    assertThat(get(latch.countDown())).isEqualTo(1);
    LatchInfo info = get(latch.info());
    assertThat(info.count()).isEqualTo(1);
    assertThat(info.isOpen()).isFalse();
    assertThat(get(latch.countDown())).isZero();
    assertThat(get(waiting)).isTrue();
    assertThat(get(latch.info()).isOpen()).isTrue();
  }

  @Test
  void ofFilters() {
    BloomFilter<String> filter =
        sluice.bloomFilter("users", Funnel.utf8(), BloomSpec.of(100, 0.01));
    filter.create();
    filter.add("ann");
    get(filter.async().rebuild(BloomSpec.of(200, 0.01), () -> Stream.of("bob", "eve")));
    assertThat(filter.mightContain("bob")).isTrue();
    assertThat(filter.info().orElseThrow().expectedInsertions()).isEqualTo(200);
  }

  @Test
  void ofStock() {
    AsyncInventory stock = sluice.inventory("shoes").async();
    assertThat(get(stock.open(Sale.epoch(1).total(5).hold(AGES))).left()).isEqualTo(5);
    assertThatThrownBy(() -> get(stock.open(Sale.epoch(1).total(6).hold(AGES))))
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is known with other terms");
    assertThat(get(stock.resize(Sale.epoch(1).total(7))).total()).isEqualTo(7);
    long id = get(stock.claim("ann", 2, "r")).claimId();
    assertThat(get(stock.find("ann")).orElseThrow().id()).isEqualTo(id);
    assertThat(get(stock.find("bob"))).isEmpty();
    assertThat(get(stock.confirm("ann", id))).isEqualTo(ClaimState.CONFIRMED);
    assertThat(get(stock.requeue("ann", id))).isEqualTo(ClaimState.CONFIRMED);
    assertThat(get(stock.requeue("bob", 1))).isEqualTo(ClaimState.UNKNOWN);
    assertThat(get(stock.deadLetters(10))).isEmpty();
    Reconciliation found = get(stock.reconcile(List.of()));
    assertThat(found.orders()).isZero();
    assertThat(get(stock.info()).confirmed()).isEqualTo(2);
    assertThat(get(stock.close(1)).open()).isFalse();
  }

  @Test
  void failuresAreThoseOfTheBlockingForm() {
    assertThat(sluice.semaphore("seats", 3).tryAcquire()).isPresent();
    assertThatThrownBy(() -> get(sluice.semaphore("seats", 2).async().tryAcquire()))
        .isInstanceOf(CompletionException.class)
        .cause()
        .hasMessageStartingWith("'seats' is a semaphore of 3 permits");
    AsyncDistributedLock lock = sluice.lock("seat").async();
    AsyncInventory stock = sluice.inventory("shoes").async();
    sluice.close();
    assertThatThrownBy(lock::info).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(stock::info).isInstanceOf(IllegalStateException.class);
  }
}
