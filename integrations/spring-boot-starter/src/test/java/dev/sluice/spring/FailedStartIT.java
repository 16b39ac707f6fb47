package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.servers.RedisServer;
import dev.sluice.spring.internal.SettingException;
import java.util.Set;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

/** A real Tomcat whose start fails after the store has been opened. */
@ExtendWith(OutputCaptureExtension.class)
class FailedStartIT {

  private static Set<Long> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().matches("(sluice|lettuce)-.*"))
        .map(Thread::getId)
        .collect(Collectors.toSet());
  }

  @Test
  void aDatabaseIsClosedAndItsThreadsAreNotThoseOfTheWebApplication(CapturedOutput output) {
    assertNothingIsLeft(
        output, "H2", "--sluice.store=jdbc", "--spring.datasource.url=jdbc:h2:mem:failed");
  }

  @Test
  void aRedisIsClosedAndItsThreadsAreNotThoseOfTheWebApplication(CapturedOutput output) {
    try (RedisServer server = RedisServer.start()) {
      assertNothingIsLeft(
          output,
          "Redis",
          "--sluice.store=redis",
          "--sluice.request-timeout=30s",
          "--spring.data.redis.port=" + server.port());
    }
  }

  private static void assertNothingIsLeft(CapturedOutput output, String store, String... settings) {
    Set<Long> before = threads();
    assertThatThrownBy(
            () ->
                new SpringApplicationBuilder(App.class)
                    .properties(
                        "server.port=0",
                        "sluice.console.enabled=true",
                        "spring.main.banner-mode=off",
                        "sluice.http.rules[0].path=/x",
                        "sluice.http.rules[0].limiter=nobody")
                    .run(settings)
                    .close())
        .rootCause()
        .isInstanceOf(SettingException.class);
    assertThat(output)
        .contains("Sluice works on " + store)
        .doesNotContain("started a thread named [sluice", "started a thread named [lettuce");
    Awaitility.await().untilAsserted(() -> assertThat(before).containsAll(threads()));
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class App {}
}
