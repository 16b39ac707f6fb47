package dev.sluice.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.tngtech.archunit.core.domain.JavaClasses;
import dev.sluice.servers.SourceTree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The two diagrams of {@code docs/architecture.md} are those of the code. After a change of the
 * arrows, {@code -Dsluice.architecture.draw=true} writes them again.
 */
class ArchitectureDiagramTest {
  private static final Path ROOT = SourceTree.path("");
  private static final List<String> PAGES =
      List.of("docs/architecture.md", "docs/zh/architecture.md");
  private static final Pattern DIAGRAM = Pattern.compile("(?s)```mermaid\n(.*?)```");

  @Test
  void diagramsAreThoseOfTheCode() throws Exception {
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
    List<String> drawn =
        List.of(
            ArchitectureGraph.ofModules(ROOT, modules, classes).toMermaid(),
            ArchitectureGraph.ofCore(classes).toMermaid());

    for (String page : PAGES) {
      Path file = ROOT.resolve(page);
      if (Boolean.getBoolean("sluice.architecture.draw")) {
        Files.writeString(file, replaced(Files.readString(file), drawn));
      }
      assertThat(DIAGRAM.matcher(Files.readString(file)).results().map(found -> found.group(1)))
          .as("%s: -Dsluice.architecture.draw=true writes its diagrams again", page)
          .containsExactlyElementsOf(drawn);
    }
  }

  private static String replaced(String page, List<String> drawn) {
    Matcher diagrams = DIAGRAM.matcher(page);
    StringBuilder text = new StringBuilder();
    for (String each : drawn) {
      assertThat(diagrams.find()).isTrue();
      diagrams.appendReplacement(text, Matcher.quoteReplacement("```mermaid\n" + each + "```"));
    }
    return diagrams.appendTail(text).toString();
  }

  @Test
  void arrowsThatFollowFromOthersAreLeftOut() {
    assertThat(cli().toMermaid())
        .isEqualTo(
            """
            flowchart TD
              cli --> redis
              cli -.-> jdbc
              jdbc --> core
              redis --> core
            """);
  }

  @Test
  void aNewArrowChangesTheDiagram() {
    ArchitectureGraph after = cli();
    after.uses("redis", "jdbc");

    assertThat(after.toMermaid()).contains("redis --> jdbc").isNotEqualTo(cli().toMermaid());
  }

  @Test
  void aCircleIsRefused() {
    ArchitectureGraph circle = cli();
    circle.uses("core", "cli");

    assertThatThrownBy(circle::toMermaid)
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
