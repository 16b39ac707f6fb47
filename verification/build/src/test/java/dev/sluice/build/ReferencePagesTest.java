package dev.sluice.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.servers.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tables of findings and meters on the pages are those of the sources. */
class ReferencePagesTest {
  private static final Path ROOT = SourceTree.path("");
  private static final Pattern FINDING =
      Pattern.compile(
          "(?:found|new"
              + " Finding)\\(\\s*(?:Finding\\.)?Severity\\.(\\w+),\\s*(?:\"([a-z-]+)\"|ID\\b)");
  private static final Pattern ID = Pattern.compile("String ID = \"([a-z-]+)\"");
  private static final Pattern FINDINGS = Pattern.compile("\\benum \\w+Finding\\b");
  private static final Pattern CONSTANT =
      Pattern.compile("(?m)^  ([A-Z_]+)\\(\\s*Severity\\.(\\w+)");
  private static final Pattern TABLE = Pattern.compile("(?m)(?:^\\|.*\\n)+");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| (`.*?) \\| (\\w+) \\|");
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static final Pattern METER =
      Pattern.compile("\"(sluice\\.(?:lock|limiter|inventory|bloom|cache|guard)\\.[a-z.]*[a-z])\"");
  private static final Pattern METER_ROW = Pattern.compile("(?m)^\\| `(sluice\\.[a-z.]*[a-z])");

  /** The modules of each table of docs/doctor.md. */
  private static final List<List<String>> DOCTORS =
      List.of(
          List.of("stores/redis", "core"),
          List.of("stores/jdbc"),
          List.of("stores/zookeeper"),
          List.of("tools/console"));

  @ParameterizedTest
  @ValueSource(strings = {"docs/doctor.md", "docs/zh/doctor.md"})
  void thePageHasTheFindingsOfTheDoctors(String page) throws IOException {
    List<Set<String>> found = new ArrayList<>();
    for (List<String> modules : DOCTORS) {
      Set<String> ids = new TreeSet<>();
      if (modules.get(0).startsWith("stores/")) {
        ids.add("unreachable error"); // of the class that all stores share
      }
      for (String module : modules) {
        for (Path source : sources(module)) {
          ids.addAll(findings(Files.readString(source)));
        }
      }
      found.add(ids);
    }
    assertThat(tables(Files.readString(ROOT.resolve(page)))).isEqualTo(found);
  }

  @Test
  void noOtherModuleHasFindings() throws IOException {
    for (String module : SourceTree.modules()) {
      if (DOCTORS.stream().noneMatch(modules -> modules.contains(module))) {
        for (Path source : sources(module)) {
          assertThat(findings(Files.readString(source))).as("%s", source).isEmpty();
        }
      }
    }
  }

  @Test
  void findingsAreReadFromSourcesAndRows() {
    assertThat(
            findings(
                """
                found(Severity.ERROR, "tables", "missing");
                new Finding(
                    Finding.Severity.WARNING, ID, where);
                String ID = "circular-wait";
                enum RedisFinding {
                  NO_TLS(Severity.WARNING, "read"),
                  SILENT(
                      Severity.ERROR,
                """))
        .containsExactly("circular-wait warning", "no-tls warning", "silent error", "tables error");
    assertThat(
            tables(
                "| id | severity |\n"
                    + "|---|---|\n"
                    + "| `a`, `b-c` | info | no |\n\n"
                    + "| `A` | b | c |\n"
                    + "|---|\n"))
        .containsExactly(Set.of("a info", "b-c info"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"docs/monitoring.md", "docs/zh/monitoring.md"})
  void thePageHasTheMetersOfTheCode(String page) throws IOException {
    Set<String> meters = new TreeSet<>();
    for (String module : SourceTree.modules()) {
      for (Path source : sources(module)) {
        if (source.toString().matches(".*(Metrics|Observations)\\.java")) {
          METER.matcher(Files.readString(source)).results().forEach(m -> meters.add(m.group(1)));
        }
      }
    }
    assertThat(meters).hasSizeGreaterThan(20);
    String text = Files.readString(ROOT.resolve(page));
    assertThat(unnamed(meters, text)).as("meters that the page does not name").isEmpty();
    assertThat(unknown(meters, text)).as("rows without a meter").isEmpty();
  }

  @Test
  void aMeterWithoutARowAndARowWithoutAMeterAreNoticed() {
    String page = "`sluice.lock.held`\n| `sluice.lock.held.active` | |\n| `sluice.lock.hold` | |\n";
    Set<String> meters = Set.of("sluice.lock.held", "sluice.lock");

    assertThat(unnamed(meters, page)).containsExactly("sluice.lock");
    assertThat(unknown(Set.of("sluice.lock.held"), page)).containsExactly("sluice.lock.hold");
  }

  private static List<Path> sources(String module) throws IOException {
    Path folder = ROOT.resolve(module).resolve("src/main/java");
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(".java")).toList();
    }
  }

  /** Returns id and severity of each finding that a source makes. */
  private static Set<String> findings(String source) {
    Set<String> found = new TreeSet<>();
    String named = ID.matcher(source).results().map(id -> id.group(1)).findFirst().orElse("?");
    for (MatchResult each : FINDING.matcher(source).results().toList()) {
      found.add(finding(each.group(2) == null ? named : each.group(2), each.group(1)));
    }
    if (FINDINGS.matcher(source).find()) {
      for (MatchResult each : CONSTANT.matcher(source).results().toList()) {
        found.add(finding(each.group(1).replace('_', '-'), each.group(2)));
      }
    }
    return found;
  }

  private static String finding(String id, String severity) {
    return (id + " " + severity).toLowerCase(Locale.ROOT);
  }

  /** Returns id and severity of the rows of each table of findings. */
  private static List<Set<String>> tables(String page) {
    List<Set<String>> tables = new ArrayList<>();
    for (MatchResult table : TABLE.matcher(page).results().toList()) {
      if (table.group().startsWith("| id |")) {
        Set<String> ids = new TreeSet<>();
        for (MatchResult row : ROW.matcher(table.group()).results().toList()) {
          CODE.matcher(row.group(1))
              .results()
              .forEach(id -> ids.add(finding(id.group(1), row.group(2))));
        }
        tables.add(ids);
      }
    }
    return tables;
  }

  private static List<String> unnamed(Set<String> meters, String page) {
    return meters.stream()
        .filter(meter -> !Pattern.compile(Pattern.quote(meter) + "(?![.a-z])").matcher(page).find())
        .toList();
  }

  /** An observation has the meters of its events, and one of those that are active. */
  private static List<String> unknown(Set<String> meters, String page) {
    return METER_ROW
        .matcher(page)
        .results()
        .map(row -> row.group(1))
        .filter(
            row ->
                !meters.contains(row) && !meters.contains(row.substring(0, row.lastIndexOf('.'))))
        .toList();
  }
}
