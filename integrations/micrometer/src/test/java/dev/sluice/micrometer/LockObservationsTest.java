package dev.sluice.micrometer;

import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Verb.ACQUIRE;
import static dev.sluice.testkit.FlakyBackend.Verb.RELEASE;
import static dev.sluice.testkit.FlakyBackend.Verb.RENEW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.OutcomeUnknownException;
import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.LockTimeoutException;
import dev.sluice.memory.ManualTime;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.testkit.FlakyBackend;
import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import java.time.Duration;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LockObservationsTest {
  private static final Duration AGES = Duration.ofSeconds(30);

  private final TestObservationRegistry registry = TestObservationRegistry.create();
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final FlakyBackend line = new FlakyBackend(new MemoryBackend());
  private final Sluice sluice =
      Sluice.builder()
          .backend(line)
          .observer(LockObservations.of(registry).named("orders/*", "nightly"))
          .build();

  LockObservationsTest() {
    registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
  }

  @AfterEach
  void close() {
    line.heal();
    sluice.close();
  }

  private TestObservationRegistryAssert observed() {
    return TestObservationRegistryAssert.assertThat(registry);
  }

  private long count(String timer, String outcome) {
    return meters.find(timer).tag("outcome", outcome).timers().stream()
        .mapToLong(Timer::count)
        .sum();
  }

  private int active(String name) {
    LongTaskTimer found = meters.find(name + ".active").longTaskTimer();
    return found == null ? 0 : found.activeTasks();
  }

  @Test
  void acquireAndHoldAreObservedUnderTheConfiguredName() throws Exception {
    Lease lease = sluice.lock("orders/42").acquire(AGES);
    observed()
        .hasObservationWithNameEqualTo(LockObservations.ACQUIRE)
        .that()
        .hasBeenStarted()
        .hasBeenStopped()
        .hasContextualNameEqualTo("acquire lock")
        .hasLowCardinalityKeyValue("name", "orders/*")
        .hasLowCardinalityKeyValue("outcome", "acquired")
        .hasHighCardinalityKeyValue("sluice.lock.token", "" + lease.token())
        .doesNotHaveHighCardinalityKeyValueWithKey("sluice.lock.name");
    assertThat(active(LockObservations.HELD)).isEqualTo(1);
    lease.release();

    observed()
        .hasObservationWithNameEqualTo(LockObservations.HELD)
        .that()
        .hasBeenStopped()
        .hasContextualNameEqualTo("hold lock")
        .hasLowCardinalityKeyValue("name", "orders/*")
        .hasLowCardinalityKeyValue("outcome", "released");
    assertThat(active(LockObservations.HELD)).isZero();
    assertThat(meters.getMeters())
        .extracting(Meter::getId)
        .allSatisfy(id -> assertThat(id.getTag("name")).isEqualTo("orders/*"))
        .noneMatch(id -> id.toString().contains("orders/42"));
  }

  @Test
  void refusalsAreToldApart() throws Exception {
    try (Lease held = sluice.lock("nightly").acquire(AGES)) {
      assertThat(sluice.lock("nightly").tryAcquire()).isEmpty();
      assertThatThrownBy(() -> sluice.lock("nightly").acquire(Duration.ofMillis(5)))
          .isInstanceOf(LockTimeoutException.class);
      assertThat(sluice.lock("nightly").tryAcquire(Duration.ofMillis(5))).isEmpty();
      assertThat(sluice.lock("nightly").async().acquire(Duration.ofMillis(5))).failsWithin(AGES);
      held.checkHeld();
    }
    assertThat(count(LockObservations.ACQUIRE, "acquired")).isEqualTo(1);
    assertThat(count(LockObservations.ACQUIRE, "busy")).isEqualTo(1);
    assertThat(count(LockObservations.ACQUIRE, "timeout")).isEqualTo(3);
    assertThat(count(LockObservations.HELD, "released")).isEqualTo(1);
    assertThat(active(LockObservations.ACQUIRE)).isZero();
  }

  @Test
  void silenceAndInterruptionAreErrors() {
    line.set(ACQUIRE, LOSES_REQUEST);
    assertThatThrownBy(() -> sluice.lock("orders/1").tryAcquire())
        .isInstanceOf(OutcomeUnknownException.class);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> sluice.lock("nightly").acquire(AGES))
        .isInstanceOf(InterruptedException.class);

    assertThat(count(LockObservations.ACQUIRE, "error")).isEqualTo(2);
    assertThat(
            meters.find(LockObservations.ACQUIRE).tag("error", "OutcomeUnknownException").timer())
        .isNotNull();
    assertThat(meters.find(LockObservations.ACQUIRE).tag("error", "InterruptedException").timer())
        .isNotNull();
  }

  @Test
  void waitersCountAsActive() throws Exception {
    Lease held = sluice.lock("nightly").acquire(AGES);
    var waiting = sluice.lock("nightly").async().acquire(AGES).toCompletableFuture();
    assertThat(active(LockObservations.ACQUIRE)).isEqualTo(1);
    held.release();
    waiting.join().release();
    assertThat(active(LockObservations.ACQUIRE)).isZero();
    assertThat(count(LockObservations.HELD, "released")).isEqualTo(2);
  }

  @Test
  void lossIsAnOutcomeAndRenewalsAreEvents() {
    ManualTime time = new ManualTime();
    FlakyBackend lost = new FlakyBackend(new MemoryBackend(time::storeMicros));
    try (Sluice timed =
        Sluice.builder()
            .backend(lost)
            .time(time, time)
            .callbacks(Runnable::run)
            .observer(LockObservations.of(registry).named("nightly"))
            .build()) {
      LockOptions renewing = LockOptions.renewing(Duration.ofSeconds(9));
      Lease lease = timed.lock("nightly", renewing).tryAcquire().orElseThrow();
      time.advance(Duration.ofSeconds(4));
      time.advance(Duration.ofSeconds(4));
      assertThat(events("renewed")).isEqualTo(2);
      lost.set(RENEW, LOSES_REQUEST).set(RELEASE, LOSES_REQUEST);
      time.advance(Duration.ofSeconds(5));
      assertThat(events("doubt")).isEqualTo(1);
      assertThat(lease.state()).isEqualTo(LeaseState.IN_DOUBT);
      time.advance(Duration.ofSeconds(3));
      assertThat(lease.state()).isEqualTo(LeaseState.LOST);
      assertThat(count(LockObservations.HELD, "lost")).isEqualTo(1);
      assertThat(lease.release()).isFalse();
      assertThat(count(LockObservations.HELD, "released")).isZero();
      lost.heal();
    }
  }

  private double events(String event) {
    var counter = meters.find(LockObservations.HELD + "." + event).counter();
    return counter == null ? 0 : counter.count();
  }

  @Test
  void reentrantViewIsOneHold() {
    Lock view = sluice.lock("nightly").asReentrantLock();
    view.lock();
    view.lock();
    view.unlock();
    view.unlock();
    assertThat(count(LockObservations.ACQUIRE, "acquired")).isEqualTo(1);
    assertThat(count(LockObservations.HELD, "released")).isEqualTo(1);
  }

  @Test
  void spansBelongToWhatTheCallerWasDoing() {
    Observation request = Observation.createNotStarted("request", registry).start();
    try (Observation.Scope scope = request.openScope()) {
      sluice.lock("nightly").async().acquire(AGES).toCompletableFuture().join().release();
    }
    request.stop();
    observed()
        .hasObservationWithNameEqualTo(LockObservations.ACQUIRE)
        .that()
        .hasParentObservationEqualTo(request);
    observed()
        .hasObservationWithNameEqualTo(LockObservations.HELD)
        .that()
        .hasParentObservationEqualTo(request);
  }

  @Test
  void fullNamesGoOnSpansWhenAskedForAndNeverOnTimers() {
    try (Sluice named =
        Sluice.builder()
            .backend(new MemoryBackend())
            .observer(LockObservations.of(registry).fullNamesOnSpans())
            .build()) {
      named.lock("tenant/7").tryAcquire().orElseThrow().close();
    }
    observed()
        .hasObservationWithNameEqualTo(LockObservations.HELD)
        .that()
        .hasLowCardinalityKeyValue("name", LockObservations.OTHER)
        .hasHighCardinalityKeyValue("sluice.lock.name", "tenant/7");
    assertThat(meters.getMeters())
        .extracting(meter -> meter.getId().toString())
        .noneMatch(id -> id.contains("tenant"));
  }

  @Test
  void handlerThatThrowsCostsNoLease() {
    registry
        .observationConfig()
        .observationHandler(
            new ObservationHandler<>() {
              @Override
              public void onStart(Observation.Context context) {
                throw new IllegalStateException("out of order");
              }

              @Override
              public boolean supportsContext(Observation.Context context) {
                return true;
              }
            });
    Lease lease = sluice.lock("nightly").tryAcquire().orElseThrow();
    assertThat(sluice.lock("nightly").tryAcquire()).isEmpty();
    assertThat(lease.release()).isTrue();
    assertThat(sluice.lock("nightly").tryAcquire()).isPresent();
  }

  @Test
  void refusesAPatternThatItWouldNotFollow() {
    assertThatThrownBy(() -> LockObservations.of(registry).named("a*b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a pattern must be a name, or a beginning and '*' at its end: 'a*b'");
    assertThatThrownBy(() -> LockObservations.of(registry).named(""))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
