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
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The metadata of the settings, for editors and readers. */
class SluiceMetadataTest {
  /** Says what holds without it, where that is no value. */
  private static final Pattern UNSET = Pattern.compile("Default: |If neither ");

  /** What documents set as code: a block, or a word. */
  private static final Pattern CODE = Pattern.compile("(?s)```.*?```|`[^`]+`");

  /** The pages that document settings. */
  private static final List<String> PAGES =
      List.of("spring-boot", "http", "cache", "fencing", "monitoring", "console");

  private static final Pattern TABLE = Pattern.compile("(?m)(?:^\\|.*\\n)+");
  private static final Pattern WORD = Pattern.compile("`([^`]+)`");

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

  @ParameterizedTest
  @ValueSource(strings = {"docs/", "docs/zh/"})
  void everyPropertyStandsInTheDocuments(String folder) throws IOException {
    Set<String> documented = new HashSet<>();
    for (String file : PAGES) {
      CODE.matcher(Files.readString(SourceTree.path(folder + file + ".md")))
          .results()
          .flatMap(code -> Arrays.stream(plain(code.group()).split("\\W+")))
          .forEach(documented::add);
    }
    assertThat(PROPERTIES)
        .extracting(SluiceMetadataTest::name)
        .filteredOn(name -> !documented.contains(plain(name.substring(name.lastIndexOf('.') + 1))))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"docs/", "docs/zh/"})
  void theTablesHaveEveryPropertyWithItsDefault(String folder) throws IOException {
    List<Row> rows = new ArrayList<>();
    for (String file : PAGES) {
      rows.addAll(rows(Files.readString(SourceTree.path(folder + file + ".md"))));
    }
    Map<String, JsonNode> byName =
        PROPERTIES.stream().collect(Collectors.toMap(SluiceMetadataTest::name, each -> each));

    assertThat(rows).hasSizeGreaterThan(35);
    assertThat(faults(rows, byName)).isEmpty();
  }

  @Test
  void aRowThatIsWrongOrMissingIsNoticed() {
    List<Row> rows =
        rows(
            """
            | under `sluice.http` | | default |
            |---|---|---|
            | `order`, `ordr` | order | -90 |
            | `rules[*].path` | path | |

            | `sluice.http` | |
            |---|---|
            | `other` | table |

            | property | default | |
            |---|---|---|
            | `sluice.console.path` | `/console` | its path |
            """);
    JsonMapper json = JsonMapper.shared();
    Map<String, JsonNode> properties =
        Map.of(
            "sluice.http.order", json.readTree("{\"defaultValue\": -90}"),
            "sluice.http.rules", json.readTree("{}"),
            "sluice.http.ipv6-prefix", json.readTree("{}"),
            "sluice.other.order", json.readTree("{}"),
            "sluice.console.path", json.readTree("{\"defaultValue\": \"/sluice\"}"));

    assertThat(faults(rows, properties))
        .containsExactlyInAnyOrder(
            "sluice.http.ordr is no property",
            "sluice.console.path has the default /sluice, not /console",
            "sluice.http.ipv6-prefix has no row");
  }

  /** A property in a table of the pages, and its default there. */
  private record Row(String name, String value) {
    String parent() {
      return name.substring(0, name.lastIndexOf('.'));
    }
  }

  /** Reads the tables with a column of defaults, whose head or rows name properties. */
  private static List<Row> rows(String page) {
    List<Row> rows = new ArrayList<>();
    for (MatchResult table : TABLE.matcher(page).results().toList()) {
      List<String> lines = table.group().lines().toList();
      List<String> head = cells(lines.get(0));
      int value = Math.max(head.indexOf("default"), head.indexOf("默认值"));
      Matcher prefix = WORD.matcher(head.get(0));
      String before = prefix.find() ? prefix.group(1) + "." : "";
      for (String line : lines.subList(Math.min(2, lines.size()), lines.size())) {
        List<String> row = cells(line);
        for (MatchResult name : WORD.matcher(row.get(0)).results().toList()) {
          if (value > 0 && (before + name.group(1)).startsWith("sluice.")) {
            rows.add(new Row(before + name.group(1), row.get(value).replace("`", "")));
          }
        }
      }
    }
    return rows;
  }

  private static List<String> cells(String line) {
    return Arrays.stream(line.substring(1).split("(?<!\\\\)\\|")).map(String::strip).toList();
  }

  /** Entries of a map or a list, and patterns of names, are no properties. */
  private static List<String> faults(List<Row> rows, Map<String, JsonNode> properties) {
    List<String> found = new ArrayList<>();
    for (Row row : rows) {
      JsonNode property = properties.get(row.name);
      if (property == null) {
        boolean entry =
            row.name.matches(".*[*…].*")
                || properties.keySet().stream().anyMatch(name -> row.name.startsWith(name + "."));
        if (!entry) {
          found.add(row.name + " is no property");
        }
      } else if (property.path("defaultValue").isValueNode()
          && !row.value.startsWith(property.path("defaultValue").asString())) {
        String value = property.path("defaultValue").asString();
        found.add("%s has the default %s, not %s".formatted(row.name, value, row.value));
      }
    }
    Set<String> tables =
        rows.stream()
            .filter(row -> !row.name.endsWith("*"))
            .map(Row::parent)
            .collect(Collectors.toSet());
    for (String name : properties.keySet()) {
      boolean shown =
          rows.stream()
              .map(Row::name)
              .anyMatch(row -> row.equals(name) || row.matches("\\Q" + name + "\\E[.\\[].*"));
      if (tables.contains(name.substring(0, name.lastIndexOf('.'))) && !shown) {
        found.add(name + " has no row");
      }
    }
    return found;
  }

  /** Settings are near-ttl, and nearTtl where a builder has them too. */
  private static String plain(String name) {
    return name.replace("-", "").toLowerCase(Locale.ROOT);
  }
}
