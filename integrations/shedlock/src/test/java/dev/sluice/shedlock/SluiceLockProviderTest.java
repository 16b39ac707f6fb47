package dev.sluice.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.testkit.FlakyBackend;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Cases that ShedLock's suites do not have. */
class SluiceLockProviderTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final MemoryBackend store = new MemoryBackend();
  private final FlakyBackend line = new FlakyBackend(store);
  private final Sluice sluice = Sluice.builder().backend(line).build();
  private final Sluice other = Sluice.builder().backend(store).build();
  private final SluiceLockProvider provider = new SluiceLockProvider(sluice);

  @AfterEach
  void close() {
    line.heal();
    sluice.close();
    other.close();
  }

  private static LockConfiguration task(String name, Duration atMost, Duration atLeast) {
    return new LockConfiguration(ClockProvider.now(), name, atMost, atLeast);
  }

  private static LockConfiguration task(String name) {
    return task(name, MINUTE, Duration.ZERO);
  }

  @Test
  void keepsAtLeastForAfterItsProcessHasEnded() {
    SimpleLock lock = provider.lock(task("report", MINUTE, Duration.ofSeconds(20))).orElseThrow();
    lock.unlock();
    sluice.close();

    assertThat(new SluiceLockProvider(other).lock(task("report"))).isEmpty();
    assertThat(other.inspect().lock("shedlock/report").holder().orElseThrow().remaining())
        .isLessThanOrEqualTo(Duration.ofSeconds(20));
  }

  @Test
  void processThatEndsDuringItsTaskGivesTheLockBack() {
    assertThat(provider.lock(task("report", MINUTE, MINUTE))).isPresent();
    sluice.close();

    assertThat(new SluiceLockProvider(other).lock(task("report"))).isPresent();
  }

  @Test
  void leaseIsNotRenewed() {
    await() // again where the grant comes after its end
        .ignoreExceptionsInstanceOf(BackendException.class)
        .until(
            () -> provider.lock(task("report", Duration.ofMillis(200), Duration.ZERO)),
            Optional::isPresent);
    await().until(() -> other.inspect().lock("shedlock/report").holder().isEmpty());
    assertThat(line.calls(FlakyBackend.Verb.RENEW)).isZero();
  }

  @Test
  void prefixesKeepApplicationsApart() {
    assertThat(provider.lock(task("report"))).isPresent();
    assertThat(provider.lock(task("report"))).isEmpty();
    assertThat(new SluiceLockProvider(other, "billing/").lock(task("report"))).isPresent();
    assertThat(other.inspect().lockNames(10).names())
        .containsExactlyInAnyOrder("shedlock/report", "billing/report");
  }

  @Test
  void silentStoreIsNotABusyLock() {
    line.set(FlakyBackend.Verb.ACQUIRE, FlakyBackend.Fault.LOSES_REQUEST);

    assertThatThrownBy(() -> provider.lock(task("report")))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("shedlock/report");
  }

  @Test
  void taskSeesTheTokenOfItsOwnLock() throws Throwable {
    DefaultLockingTaskExecutor executor = new DefaultLockingTaskExecutor(provider);
    assertThat(SluiceLockProvider.currentLease()).isEmpty();

    long first = executor.executeWithLock(() -> currentToken(), task("outer")).getResult();
    long[] tokens = new long[3];
    executor.executeWithLock(
        (Runnable)
            () -> {
              tokens[0] = currentToken();
              executor.executeWithLock((Runnable) () -> tokens[1] = currentToken(), task("inner"));
              tokens[2] = currentToken();
              assertThat(CompletableFuture.supplyAsync(SluiceLockProvider::currentLease).join())
                  .isEmpty();
            },
        task("outer"));

    assertThat(tokens[0]).isGreaterThan(first);
    assertThat(tokens[1]).isNotEqualTo(tokens[0]);
    assertThat(tokens[2]).isEqualTo(tokens[0]);
    assertThat(SluiceLockProvider.currentLease()).isEmpty();
  }

  private static long currentToken() {
    return SluiceLockProvider.currentLease().map(Lease::token).orElseThrow();
  }

  @Test
  void outerTaskSeesItsLeaseAgainWhenAnInnerLockCannotBeExtended() {
    SimpleLock outer = provider.lock(task("outer")).orElseThrow();
    long token = currentToken();
    SimpleLock inner = provider.lock(task("inner")).orElseThrow();
    assertThat(other.lock("shedlock/inner", LockOptions.defaults()).forceRelease()).isPresent();

    assertThat(inner.extend(MINUTE, Duration.ZERO)).isEmpty();
    assertThat(currentToken()).isEqualTo(token);
    outer.unlock();
    assertThat(SluiceLockProvider.currentLease()).isEmpty();
  }

  @Test
  void extendedLockKeepsItsToken() {
    SimpleLock lock = provider.lock(task("report")).orElseThrow();
    long token = currentToken();
    Optional<SimpleLock> longer = lock.extend(Duration.ofMinutes(5), Duration.ZERO);

    assertThat(currentToken()).isEqualTo(token);
    assertThat(other.inspect().lock("shedlock/report").holder().orElseThrow().remaining())
        .isGreaterThan(Duration.ofMinutes(4));
    longer.orElseThrow().unlock();
    assertThat(SluiceLockProvider.currentLease()).isEmpty();
    assertThat(other.inspect().lock("shedlock/report").holder()).isEmpty();
  }
}
