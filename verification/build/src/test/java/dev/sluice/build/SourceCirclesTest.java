package dev.sluice.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.servers.SourceTree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that need each other are those of a list, each with its reason. */
class SourceCirclesTest {
  private static final Path LIST =
      SourceTree.path("verification/build/src/test/resources/circles.txt");

  @TempDir Path folder;

  @Test
  void circlesOfPublishedModulesAreThoseOfTheList() throws Exception {
    Map<String, Set<List<String>>> found = new TreeMap<>();
    for (String module : SourceTree.modules()) {
      Path sources = SourceTree.path(module + "/src/main/java");
      String pom = Files.readString(SourceTree.path(module + "/pom.xml"));
      if (Files.isDirectory(sources) && pom.contains("/published/pom.xml</relativePath>")) {
        Set<List<String>> circles = SourceCircles.of(sources);
        if (!circles.isEmpty()) {
          found.put(module, circles);
        }
      }
    }

    Map<String, Set<List<String>>> allowed = new TreeMap<>();
    SourceCircles.allowed(Files.readAllLines(LIST))
        .forEach((module, circles) -> allowed.put(module, circles.keySet()));
    assertThat(found).as("cut the circle, or give a reason for it in %s", LIST).isEqualTo(allowed);
  }

  @Test
  void aConstantClosesACircle() throws Exception {
    source(
        "a/One.java", "package a;\nimport b.Two;\nclass One { static final int N = 1; Two two; }");
    source("b/Two.java", "package b; public class Two { int n = One.N; }");
    assertThat(SourceCircles.of(folder)).as("not imported").isEmpty();

    source("b/Two.java", "package b;\nimport static a.One.N;\npublic class Two { int n = N; }");
    assertThat(SourceCircles.of(folder)).containsExactly(List.of("One", "Two"));
  }

  @Test
  void commentsAndTextCloseNone() throws Exception {
    source("a/One.java", "package a; class One { Two two; }");
    source("a/Two.java", "package a; /** {@link One} */ class Two { String s = \"One\"; } // One");
    assertThat(SourceCircles.of(folder)).isEmpty();

    source("a/Two.java", "package a; class Two { Three three; }");
    source("a/Three.java", "package a; class Three { One one; }");
    assertThat(SourceCircles.of(folder)).containsExactly(List.of("One", "Three", "Two"));
  }

  @Test
  void noCircleIsAllowedWithoutAReason() {
    assertThatThrownBy(() -> SourceCircles.allowed(List.of("core One Two")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("core One Two");
  }

  private void source(String name, String code) throws Exception {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, code);
  }
}
