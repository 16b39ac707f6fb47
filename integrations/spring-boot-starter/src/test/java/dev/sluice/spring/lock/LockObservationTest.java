package dev.sluice.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.lock.LockObserver;
import dev.sluice.micrometer.LockObservations;
import dev.sluice.spring.SluiceAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

class LockObservationTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(SluiceAutoConfiguration.class, LockAutoConfiguration.class));

  private static void use(ApplicationContext context) {
    context.getBean(Sluice.class).lock("orders/42").tryAcquire().orElseThrow().close();
  }

  @Test
  void locksAreObservedWhereTheApplicationObserves() {
    runner
        .withBean(TestObservationRegistry.class, TestObservationRegistry::create)
        .withPropertyValues(
            "sluice.lock.observations.names=orders/*,nightly",
            "sluice.lock.observations.full-names-on-spans=true")
        .run(
            context -> {
              use(context);
              TestObservationRegistryAssert.assertThat(
                      context.getBean(TestObservationRegistry.class))
                  .hasObservationWithNameEqualTo(LockObservations.HELD)
                  .that()
                  .hasLowCardinalityKeyValue("name", "orders/*")
                  .hasLowCardinalityKeyValue("outcome", "released")
                  .hasHighCardinalityKeyValue("sluice.lock.name", "orders/42");
            });
  }

  @Test
  void timersReachTheRegistryThatBootSetsUp() {
    runner
        .withConfiguration(
            AutoConfigurations.of(
                MetricsAutoConfiguration.class, ObservationAutoConfiguration.class))
        .withBean(SimpleMeterRegistry.class)
        .run(
            context -> {
              use(context);
              MeterRegistry meters = context.getBean(MeterRegistry.class);
              assertThat(
                      meters
                          .get(LockObservations.ACQUIRE)
                          .tags("name", LockObservations.OTHER, "outcome", "acquired")
                          .timer()
                          .count())
                  .isEqualTo(1);
              assertThat(meters.get(LockObservations.HELD).timer().count()).isEqualTo(1);
            });
  }

  @Test
  void nothingIsObservedWithoutARegistryOrWhenTurnedOff() {
    runner.run(
        context -> {
          assertThat(context).hasNotFailed().doesNotHaveBean(LockObserver.class);
          use(context);
        });
    runner
        .withBean(TestObservationRegistry.class, TestObservationRegistry::create)
        .withPropertyValues("sluice.lock.observations.enabled=false")
        .run(
            context -> {
              use(context);
              TestObservationRegistryAssert.assertThat(
                      context.getBean(TestObservationRegistry.class))
                  .doesNotHaveAnyObservation();
            });
  }

  @Test
  void observerOfTheApplicationTakesItsPlace() {
    TestObservationRegistry own = TestObservationRegistry.create();
    runner
        .withBean(TestObservationRegistry.class, TestObservationRegistry::create)
        .withBean(LockObservations.class, () -> LockObservations.of(own).named("*"))
        .run(
            context -> {
              use(context);
              TestObservationRegistryAssert.assertThat(own)
                  .hasObservationWithNameEqualTo(LockObservations.ACQUIRE)
                  .that()
                  .hasLowCardinalityKeyValue("name", "*");
              TestObservationRegistryAssert.assertThat(
                      context.getBean(TestObservationRegistry.class))
                  .doesNotHaveAnyObservation();
            });
  }

  @Test
  void patternThatCannotBeFollowedEndsTheStart() {
    runner
        .withBean(TestObservationRegistry.class, TestObservationRegistry::create)
        .withPropertyValues("sluice.lock.observations.names=a*b")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("a pattern must be a name"));
  }
}
