package dev.sluice.spring.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.console.Console;
import dev.sluice.console.FleetReporter;
import dev.sluice.spring.SluiceAutoConfiguration;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** The console inside an application: when it is there, and that it answers there. */
class ConsoleAutoConfigurationTest {
  private static final AutoConfigurations ALL =
      AutoConfigurations.of(SluiceAutoConfiguration.class, ConsoleAutoConfiguration.class);

  private final WebApplicationContextRunner web =
      new WebApplicationContextRunner().withConfiguration(ALL);

  @Test
  void isOffUnlessEnabled() {
    web.run(context -> assertThat(context).doesNotHaveBean(Console.class));
    web.withPropertyValues("sluice.console.enabled=true")
        .run(
            context ->
                assertThat(context)
                    .hasSingleBean(Console.class)
                    .hasBean("sluiceConsoleServlet")
                    .doesNotHaveBean(FleetReporter.class));
  }

  @Test
  void needsItsModuleAndAServletApplication() {
    web.withPropertyValues("sluice.console.enabled=true", "sluice.console.report=true")
        .withClassLoader(new FilteredClassLoader(Console.class))
        .run(
            context ->
                assertThat(context)
                    .hasNotFailed()
                    .doesNotHaveBean("sluiceConsoleServlet")
                    .doesNotHaveBean("sluiceFleetReporter"));
    new ApplicationContextRunner()
        .withConfiguration(ALL)
        .withPropertyValues("sluice.console.enabled=true", "sluice.console.report=true")
        .run(
            context ->
                assertThat(context)
                    .doesNotHaveBean(Console.class)
                    .hasSingleBean(FleetReporter.class));
  }

  @Test
  void settingsThatCannotWorkEndTheStart() {
    web.withPropertyValues("sluice.console.enabled=true", "sluice.console.token=short")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining("sluice.console.token: token must be at least 16"));
    web.withPropertyValues("sluice.console.enabled=true", "sluice.console.path=sluice")
        .run(
            context ->
                assertThat(context).getFailure().hasStackTraceContaining("sluice.console.path"));
    web.withPropertyValues(
            "sluice.console.report=true", "sluice.console.process=" + "x".repeat(101))
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining("sluice.console.process: process must be"));
  }

  @Test
  void settingsNeverShowTheToken() {
    assertThat(new ConsoleProperties(true, "/sluice", true, "the-token-of-the-console", true, null))
        .hasToString(
            "ConsoleProperties[enabled=true, path=/sluice, writes=true, token=set, report=true,"
                + " process=null]");
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class App {}

  @Test
  void answersUnderItsPathInARealApplication() throws Exception {
    HttpClient http = HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();
    try (ConfigurableApplicationContext context =
        new SpringApplicationBuilder(App.class)
            .properties(
                "server.port=0",
                "server.address=127.0.0.1",
                "spring.main.banner-mode=off",
                "spring.datasource.url=jdbc:h2:mem:console",
                "sluice.store=memory",
                "server.servlet.context-path=/shop",
                "sluice.console.enabled=true",
                "sluice.console.writes=true",
                "sluice.console.report=true",
                // what Boot sets by itself on Kubernetes
                "server.forward-headers-strategy=native")
            .run()) {
      URI base =
          URI.create(
              "http://127.0.0.1:"
                  + context.getEnvironment().getRequiredProperty("local.server.port")
                  + "/shop/sluice");
      HttpResponse<String> page = http.send(to(base, "").build(), BodyHandlers.ofString());
      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.uri().getPath()).isEqualTo("/shop/sluice/");
      assertThat(page.body()).contains("app/main.js");
      HttpResponse<Void> moved =
          HttpClient.newHttpClient().send(to(base, "").build(), BodyHandlers.discarding());
      assertThat(moved.headers().firstValue("Location"))
          .as("whatever a proxy calls this host")
          .hasValue("sluice/");
      assertThat(page.headers().firstValue("Content-Security-Policy")).isPresent();
      assertThat(http.send(to(base, "/app/main.js").build(), BodyHandlers.ofString()).statusCode())
          .isEqualTo(200);
      assertThat(http.send(to(base, "/nothing").build(), BodyHandlers.ofString()).statusCode())
          .isEqualTo(404);

      HttpRequest forwarded =
          to(base, "/api/session").header("X-Forwarded-For", "127.0.0.1").build();
      assertThat(http.send(forwarded, BodyHandlers.ofString()).body())
          .contains("\"signedIn\":false")
          .contains("\"writes\":false");

      HttpRequest release =
          HttpRequest.newBuilder(URI.create(base + "/api/locks/release"))
              .header("Content-Type", "application/json")
              .header("Authorization", bearer(context))
              .POST(BodyPublishers.ofString("{\"name\":\"x\",\"token\":1}"))
              .build();
      HttpResponse<String> refused = http.send(release, BodyHandlers.ofString());
      assertThat(refused.statusCode()).isEqualTo(409);
      assertThat(refused.body()).contains("not-held");

      HttpResponse<InputStream> stream =
          http.send(
              to(base, "/api/stream?page=overview")
                  .header("Authorization", bearer(context))
                  .build(),
              BodyHandlers.ofInputStream());
      try (BufferedReader lines =
          new BufferedReader(new InputStreamReader(stream.body(), StandardCharsets.UTF_8))) {
        String line = lines.readLine();
        while (!line.startsWith("data: {\"page\":\"overview\"")) {
          line = lines.readLine();
          assertThat(line).as("the stream goes on").isNotNull();
        }
      }
    }
  }

  private static String bearer(ConfigurableApplicationContext context) {
    return "Bearer " + context.getBean(Console.class).madeToken().orElseThrow();
  }

  private static HttpRequest.Builder to(URI base, String path) {
    return HttpRequest.newBuilder(URI.create(base + path)).timeout(Duration.ofSeconds(60));
  }

  /** As the password that Spring Security makes: whoever reads the log may look. */
  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void theTokenThatWasMadeIsLoggedOnce(CapturedOutput output) {
    web.withPropertyValues("sluice.console.enabled=true")
        .run(
            context -> {
              String made = context.getBean(Console.class).madeToken().orElseThrow();
              assertThat(output)
                  .containsOnlyOnce("the console at /sluice asks for the token " + made);
            });
    web.withPropertyValues(
            "sluice.console.enabled=true", "sluice.console.token=a-token-of-24-characters")
        .run(context -> assertThat(output).doesNotContain("a-token-of-24-characters"));
  }
}
