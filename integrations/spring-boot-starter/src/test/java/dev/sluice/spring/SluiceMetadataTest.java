package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.servers.SourceTree;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What editors and readers are told of the settings. */
class SluiceMetadataTest {
  /** Says what holds without it, where that is no value. */
  private static final Pattern UNSET = Pattern.compile("Default: |If neither ");

  /** What documents set as code: a block, or a word. */
  private static final Pattern CODE = Pattern.compile("(?s)```.*?```|`[^`]+`");

  private static final List<JsonNode> PROPERTIES = new ArrayList<>();

  @BeforeAll
  static void read() throws IOException {
    Enumeration<URL> all =
        SluiceMetadataTest.class
            .getClassLoader()
            .getResources("META-INF/spring-configuration-metadata.json");
    while (all.hasMoreElements()) {
      try (InputStream in = all.nextElement().openStream()) {
        for (JsonNode property : JsonMapper.shared().readTree(in).path("properties")) {
          if (property.path("name").asString().startsWith("sluice.")) {
            PROPERTIES.add(property);
          }
        }
      }
    }
    assertThat(PROPERTIES).hasSizeGreaterThan(20);
  }

  private static String name(JsonNode property) {
    return property.path("name").asString();
  }

  @Test
  void everyPropertyHasADescription() {
    assertThat(PROPERTIES)
        .allSatisfy(
            property ->
                assertThat(property.path("description").asString(""))
                    .as(name(property))
                    .hasSizeGreaterThan(10)
                    .endsWith(".")
                    .doesNotContain("{@", "<"));
  }

  @Test
  void everyPropertySaysWhatHoldsWithoutIt() {
    assertThat(PROPERTIES)
        .filteredOn(property -> !property.has("defaultValue"))
        .filteredOn(property -> !property.path("type").asString().startsWith("java.util."))
        .filteredOn(property -> !UNSET.matcher(property.path("description").asString()).find())
        .extracting(SluiceMetadataTest::name)
        .isEmpty();
  }

  @Test
  void everyPropertyStandsInTheDocuments() throws IOException {
    Set<String> documented = new HashSet<>();
    for (String file :
        List.of("spring-boot", "http", "cache", "fencing", "monitoring", "console")) {
      CODE.matcher(Files.readString(SourceTree.path("docs/" + file + ".md")))
          .results()
          .flatMap(code -> Arrays.stream(plain(code.group()).split("\\W+")))
          .forEach(documented::add);
    }
    assertThat(PROPERTIES)
        .extracting(SluiceMetadataTest::name)
        .filteredOn(name -> !documented.contains(plain(name.substring(name.lastIndexOf('.') + 1))))
        .isEmpty();
  }

  /** Settings are near-ttl, and nearTtl where a builder has them too. */
  private static String plain(String name) {
    return name.replace("-", "").toLowerCase(Locale.ROOT);
  }
}
