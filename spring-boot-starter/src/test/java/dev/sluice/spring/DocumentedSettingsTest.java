package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/** The settings of docs/http.md start an application. */
class DocumentedSettingsTest {
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```yaml\\R(.*?)^```");

  @Test
  void settingsInTheDocumentWork() throws Exception {
    List<PropertySource<?>> blocks = new ArrayList<>();
    Matcher block = BLOCK.matcher(Files.readString(Path.of("../docs/http.md")));
    while (block.find()) {
      blocks.addAll(
          new YamlPropertySourceLoader()
              .load(
                  "block " + blocks.size(),
                  new ByteArrayResource(block.group(1).getBytes(StandardCharsets.UTF_8))));
    }
    assertThat(blocks).hasSize(2);
    new WebApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                SluiceAutoConfiguration.class, RateLimitHttpAutoConfiguration.class))
        .withInitializer(
            context -> blocks.forEach(context.getEnvironment().getPropertySources()::addLast))
        .withPropertyValues("sluice.url=memory:")
        .run(
            context -> {
              assertThat(context).hasNotFailed().hasBean("sluiceRateLimitFilter");
              RateLimiters limiters = context.getBean(RateLimiters.class);
              assertThat(limiters.names()).containsExactly("api", "logins", "reports");
              assertThat(limiters.get("reports").options().overrides())
                  .containsOnlyKeys("user/batch");
              SluiceProperties.Http http = context.getBean(SluiceProperties.class).http();
              assertThat(http.rules()).hasSize(3);
              assertThat(http.trustedProxies()).hasSize(2);
              assertThat(http.rateLimitHeaders()).isTrue();
            });
  }
}
