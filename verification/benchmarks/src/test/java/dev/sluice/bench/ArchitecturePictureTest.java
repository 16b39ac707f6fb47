package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.tngtech.archunit.core.domain.JavaClasses;
import dev.sluice.testkit.SourceTree;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;

/**
 * The picture in {@code docs/architecture.md} is that of the code. After a change of the arrows
 * {@code -Dsluice.architecture.draw=true} draws it anew.
 */
class ArchitecturePictureTest {
  private static final Path ROOT = SourceTree.path("");
  private static final Path PUBLISHED = ROOT.resolve("docs/images/architecture.svg");

  @Test
  void thePublishedPictureIsThatOfTheCode() throws Exception {
    List<String> modules =
        SourceTree.modules().stream()
            .filter(module -> Files.isDirectory(ROOT.resolve(module).resolve("src/main/java")))
            .filter(module -> !module.equals("examples/quickstart")) // one class, on core alone
            .toList();
    for (String module : modules) {
      boolean built = Files.isDirectory(ROOT.resolve(module).resolve("target/classes"));
      assumeFalse(!built && Boolean.getBoolean("sluice.architecture.partial"));
      assertThat(built)
          .as("%s is not compiled: build all modules, with ./mvnw verify", module)
          .isTrue();
    }
    JavaClasses classes = ArchitectureGraph.classes(ROOT, modules);

    String drawn =
        ArchitecturePicture.draw(
            ArchitectureGraph.ofModules(ROOT, modules, classes), ArchitectureGraph.ofCore(classes));

    if (Boolean.getBoolean("sluice.architecture.draw")) {
      Files.writeString(PUBLISHED, drawn);
    }
    assertThat(Files.readString(PUBLISHED))
        .as("docs/images/architecture.svg; -Dsluice.architecture.draw=true draws it anew")
        .isEqualTo(drawn);
  }

  @Test
  void anArrowThatIsNewIsNoticed() {
    ArchitectureGraph before = cli();
    ArchitectureGraph after = cli();
    after.uses("redis", "jdbc");

    assertThat(ArchitecturePicture.draw(after, cli()))
        .isNotEqualTo(ArchitecturePicture.draw(before, cli()));
  }

  @Test
  void anArrowThatFollowsFromOthersIsToldInTheBox() throws Exception {
    String drawn = ArchitecturePicture.draw(cli(), ArchitectureGraph.empty());

    var root =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new ByteArrayInputStream(drawn.getBytes(StandardCharsets.UTF_8)))
            .getDocumentElement();
    assertThat(root.getElementsByTagName("line").getLength())
        .as("cli to redis and, dashed, to jdbc; both to core; cli to core follows")
        .isEqualTo(4);
    assertThat(drawn).contains("class=\"found\"").contains(">jdbc, redis<");
  }

  @Test
  void aCircleIsNoPicture() {
    ArchitectureGraph circle = cli();
    circle.uses("core", "cli");

    assertThatThrownBy(() -> ArchitecturePicture.draw(circle, cli()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("circle");
  }

  private static ArchitectureGraph cli() {
    ArchitectureGraph graph = ArchitectureGraph.empty();
    graph.uses("cli", "core");
    graph.uses("cli", "redis");
    graph.finds("cli", "jdbc");
    graph.uses("redis", "core");
    graph.uses("jdbc", "core");
    return graph;
  }
}
