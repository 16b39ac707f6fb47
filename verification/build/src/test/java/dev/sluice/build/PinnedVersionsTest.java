package dev.sluice.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.servers.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A build of one commit takes the same files today and in a year. */
class PinnedVersionsTest {
  private static final Path ROOT = SourceTree.path("");
  private static final Pattern VERSION = Pattern.compile("<(?:\\w[\\w.-]*\\.)?version>([^<]+)<");
  private static final Pattern PINNED = Pattern.compile("\\d[\\w.+-]*|\\$\\{[\\w.-]+}");

  /** What a build needs of the machine, and does not load. */
  private static final Pattern NEEDED = Pattern.compile("(?s)<(require\\w+)>.*?</\\1>");

  private static List<String> floating(String pom) {
    return VERSION
        .matcher(NEEDED.matcher(pom).replaceAll(""))
        .results()
        .map(match -> match.group(1))
        .filter(version -> !PINNED.matcher(version).matches())
        .toList();
  }

  @Test
  void everyPomNamesWholeVersions() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      List<Path> poms =
          files
              .filter(file -> file.endsWith("pom.xml"))
              .filter(file -> !file.toString().contains("target"))
              .toList();
      assertThat(poms).hasSizeGreaterThan(20);
      for (Path pom : poms) {
        assertThat(floating(Files.readString(pom))).as(pom.toString()).isEmpty();
      }
    }
  }

  @Test
  void rangesAndMovingNamesAreNoticed() {
    assertThat(floating("<version>1.2.3</version><a.version>[1,2)</a.version>"))
        .containsExactly("[1,2)");
    assertThat(floating("<version>LATEST</version><version>${a.version}</version>"))
        .containsExactly("LATEST");
  }

  @Test
  void theWrapperChecksWhatItLoadsAndArchivesHaveOneTime() throws IOException {
    assertThat(Files.readString(ROOT.resolve(".mvn/wrapper/maven-wrapper.properties")))
        .containsPattern("(?m)^distributionSha256Sum=[0-9a-f]{64}$");
    assertThat(Files.readString(ROOT.resolve("pom.xml")))
        .containsPattern("<project.build.outputTimestamp>20\\d\\d-");
  }
}
