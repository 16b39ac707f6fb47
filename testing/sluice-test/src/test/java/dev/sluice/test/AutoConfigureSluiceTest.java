package dev.sluice.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.limit.RateLimitedException;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseLostException;
import dev.sluice.memory.ManualTime;
import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.limit.RateLimited;
import dev.sluice.spring.lock.Locked;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

@SpringBootTest(
    properties = {
      "sluice.url=redis://127.0.0.1:1", // nobody answers there, and nobody is asked
      "sluice.limiters.logins.limits=fixed-window 1/1m"
    })
@AutoConfigureSluice
class AutoConfigureSluiceTest {
  @Autowired private Sluice sluice;
  @Autowired private ManualTime time;
  @Autowired private Shop shop;

  static class Shop {
    @Locked(name = "pause", renewed = false)
    public void pause(Runnable meanwhile) {
      meanwhile.run();
    }

    @RateLimited(limiter = "logins", key = "#user")
    public String login(String user) {
      return user + " is in";
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import(Shop.class)
  static class App {}

  @Test
  void theApplicationLivesInMemory() {
    assertThat(sluice.describe()).startsWith("memory");
  }

  @Test
  void annotatedMethodsLiveInTheTimeOfTheTest() {
    assertThatThrownBy(() -> shop.pause(() -> time.advance(Duration.ofMinutes(1))))
        .isInstanceOf(LeaseLostException.class);
    assertThat(shop.login("ann")).isEqualTo("ann is in");
    assertThatThrownBy(() -> shop.login("ann")).isInstanceOf(RateLimitedException.class);
    time.advance(Duration.ofMinutes(1));
    assertThat(shop.login("ann")).isEqualTo("ann is in");
  }

  @AutoConfigureSluice
  static class Swapped {}

  @Test
  void clientsOfTheApplicationAreReplacedToo() {
    new ApplicationContextRunner()
        .withUserConfiguration(Swapped.class)
        .withBean("one", Sluice.class, AutoConfigureSluiceTest::unwanted)
        .withBean(
            "two",
            Sluice.class,
            AutoConfigureSluiceTest::unwanted,
            definition -> definition.setPrimary(true))
        .run(
            context -> {
              Sluice one = context.getBean("one", Sluice.class);
              assertThat(context.getBean(Sluice.class)).isSameAs(context.getBean("two"));
              try (Lease lease =
                  context.getBean(Sluice.class).lock("seat").tryAcquire().orElseThrow()) {
                assertThat(one.lock("seat").tryAcquire()).isPresent(); // a store each
              }
            });
  }

  private static Sluice unwanted() {
    throw new AssertionError("made");
  }

  @Test
  void anApplicationWithoutAClientGetsNone() {
    new ApplicationContextRunner()
        .withUserConfiguration(Swapped.class)
        .withConfiguration(AutoConfigurations.of(SluiceAutoConfiguration.class))
        .withPropertyValues("sluice.enabled=false")
        .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Sluice.class));
  }
}
