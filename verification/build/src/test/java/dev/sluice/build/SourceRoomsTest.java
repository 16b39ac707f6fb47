package dev.sluice.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.servers.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The packages of published modules keep the table of arrows, and the rules of size and naming. */
class SourceRoomsTest {
  private static final Path LISTS = SourceTree.path("verification/build/src/test/resources");
  private static final int MAX_TYPES = 25;
  private static final int MAX_TOPIC_TYPES = 45;
  private static final int MAX_LINES = 500;

  /** Packages whose types users or authors of stores look up by topic. */
  private static final Set<String> TOPICS =
      Set.of(
          "dev.sluice",
          "dev.sluice.bloom",
          "dev.sluice.guard",
          "dev.sluice.inventory",
          "dev.sluice.latch",
          "dev.sluice.limit",
          "dev.sluice.lock",
          "dev.sluice.spi");

  @TempDir Path folder;

  @Test
  void packagesUseThoseOfTheTable() throws Exception {
    assertThat(published().arrows())
        .as("an arrow is a decision: change arrows.txt, and docs/architecture.md if it shows it")
        .containsExactlyInAnyOrderElementsOf(lines("arrows.txt"));
  }

  @Test
  void packagesBelowTheRootFormNoCircle() throws Exception {
    assertThat(published().circles()).isEmpty();
  }

  @Test
  void noPackageHasTooManyTypes() throws Exception {
    assertThat(tooLarge(published())).isEqualTo(exceptions("package"));
  }

  @Test
  void noFileIsTooLong() throws Exception {
    assertThat(published().longFiles(MAX_LINES).keySet()).isEqualTo(exceptions("file"));
  }

  @Test
  void eachSimpleNameStandsForOneType() throws Exception {
    assertThat(everything().sharedNames()).isEmpty();
  }

  @Test
  void eachPackageSaysWhatBelongsThere() throws Exception {
    assertThat(published().unexplained()).isEmpty();
  }

  @Test
  void documentationOfTypesBeginsWithANounOrAVerb() throws Exception {
    Set<String> found = everything().clauses(); // the last three are in sources of a test below
    found.removeAll(
        Set.of("dev.sluice.build.In", "dev.sluice.build.Three", "dev.sluice.build.Two"));
    assertThat(found)
        .as("begin with a noun or a verb: \"The decision of a limiter\", \"Sends requests\"")
        .isEmpty();
  }

  @Test
  void findsArrowsOfImportsAndOfFullNames() throws Exception {
    source("dev/a/One.java", "package dev.a;\nimport dev.b.Two;\nclass One { Two two; }");
    source("dev/b/Two.java", "package dev.b; /** dev.c.Three */ public class Two {}");
    source("dev/c/Three.java", "package dev.c; class Three { Object o = new dev.a.One(); }");
    assertThat(rooms().arrows()).containsExactly("dev.a -> dev.b", "dev.c -> dev.a");

    source("dev/b/Two.java", "package dev.b;\nimport static dev.c.Three.X;\npublic class Two {}");
    assertThat(rooms().arrows()).contains("dev.b -> dev.c");
  }

  @Test
  void findsACircleBelowTheRoot() throws Exception {
    source("dev/Root.java", "package dev;\nimport dev.a.One;\nclass Root {}");
    source("dev/a/One.java", "package dev.a;\nimport dev.Root;\nimport dev.b.Two;\nclass One {}");
    source("dev/b/Two.java", "package dev.b;\nclass Two {}");
    assertThat(rooms().circles()).as("with the root only").isEmpty();

    source("dev/b/Two.java", "package dev.b;\nimport dev.a.One;\nclass Two {}");
    assertThat(rooms().circles()).containsExactly("dev.a", "dev.b");
  }

  @Test
  void findsWhatIsTooLarge() throws Exception {
    for (int i = 0; i < MAX_TYPES; i++) {
      source("dev/a/Type" + i + ".java", "package dev.a; class Type" + i + " {}");
    }
    source("dev/b/Long.java", "package dev.b;\n" + "\n".repeat(MAX_LINES - 2) + "class Long {}");
    assertThat(tooLarge(rooms())).isEmpty();
    assertThat(rooms().longFiles(MAX_LINES)).isEmpty();

    source("dev/a/More.java", "package dev.a; class More {}");
    source("dev/b/Long.java", "package dev.b;\n" + "\n".repeat(MAX_LINES - 1) + "class Long {}");
    assertThat(tooLarge(rooms())).containsExactly("dev.a");
    assertThat(rooms().longFiles(MAX_LINES)).containsOnlyKeys("dev.b.Long");
  }

  @Test
  void findsASharedNameAndASilentPackage() throws Exception {
    source("dev/a/One.java", "package dev.a; class One {}");
    source("dev/b/Two.java", "package dev.b; class Two {}");
    source("dev/a/package-info.java", "/** Everything about one. */\npackage dev.a;");
    source("dev/b/package-info.java", "/** Two. */\npackage dev.b;");
    assertThat(rooms().sharedNames()).isEmpty();
    assertThat(rooms().unexplained()).containsExactly("dev.b");

    source("dev/b/One.java", "package dev.b; class One {}");
    assertThat(rooms().sharedNames()).containsExactly("One");
  }

  @Test
  void findsDocumentationThatBeginsWithAClause() throws Exception {
    source(
        "dev/a/One.java",
        """
        package dev.a;
        /** The result. */
        public final class One {
          /** What it holds. */
          private final int held = 1;
          /** Whether it has one. */
          boolean hasOne() { return true; }
          /** Howling is no question. */
          record Inner(int a) {}
        }
        """);
    assertThat(rooms().clauses()).as("of types only").isEmpty();

    source(
        "dev/b/Two.java", "package dev.b;\n/** What happened. */\n@X(@Y(1))\npublic enum Two {}");
    source("dev/b/Three.java", "package dev.b;\n/**\n * Who asks.\n */\n@interface Three {}");
    source(
        "dev/b/Four.java",
        "package dev.b;\n"
            + "/** A. */ class Four {\n"
            + " /** One who waits. */ static final class In {} }");
    assertThat(rooms().clauses()).containsExactly("dev.b.In", "dev.b.Three", "dev.b.Two");
  }

  @Test
  void documentationOfExportedMembersBeginsWithANounOrAVerb() throws Exception {
    assertThat(published().clausesOfMembers())
        .as("begin with a noun or a verb: \"The longest wait\", \"Returns whether it is open\"")
        .isEmpty();
  }

  @Test
  void findsDocumentationOfAnExportedMemberThatBeginsWithAClause() throws Exception {
    source(
        "dev/a/One.java",
        """
        package dev.a;
        /** The result. */
        public final class One {
          /** What it holds. */
          private final int held = 1;
          /** Returns whether it has one. What it is, is unknown. */
          boolean hasOne() { return true; }
          /**
           * Whether it is open.
           *
           * @return true if so
           */
          boolean isOpen() { return true; }
          /** {@return whether it is closed} */
          boolean isClosed() { return true; }
          /** Who made it. */
          One() {}
        }
        """);
    source("dev/b/Two.java", "package dev.b;\nclass Two {\n  /** How it is. */\n  int two;\n}");
    assertThat(rooms().clausesOfMembers())
        .containsExactly(
            "One: What it holds. */",
            "One: Whether it is open.",
            "One: Who made it. */",
            "Two: How it is. */");

    source("module-info.java", "module dev.a {\n  exports dev.a;\n  exports dev.b to c;\n}");
    assertThat(rooms().clausesOfMembers()).hasSize(3).noneMatch(each -> each.startsWith("Two"));
  }

  private static Set<String> tooLarge(SourceRooms rooms) {
    return rooms.sizes().entrySet().stream()
        .filter(
            room ->
                room.getValue() > (TOPICS.contains(room.getKey()) ? MAX_TOPIC_TYPES : MAX_TYPES))
        .map(room -> room.getKey())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static SourceRooms published() throws IOException {
    List<Path> folders = new ArrayList<>();
    for (String module : SourceTree.modules()) {
      Path sources = SourceTree.path(module + "/src/main/java");
      String pom = Files.readString(SourceTree.path(module + "/pom.xml"));
      if (Files.isDirectory(sources) && pom.contains("/published/pom.xml</relativePath>")) {
        folders.add(sources);
      }
    }
    assertThat(folders).hasSizeGreaterThan(10);
    return new SourceRooms(folders);
  }

  /** Main and test code of every module. */
  private static SourceRooms everything() throws IOException {
    List<Path> folders = new ArrayList<>();
    for (String module : SourceTree.modules()) {
      for (String part : List.of("main", "test")) {
        Path sources = SourceTree.path(module + "/src/" + part + "/java");
        if (Files.isDirectory(sources)) {
          folders.add(sources);
        }
      }
    }
    assertThat(folders).hasSizeGreaterThan(30);
    return new SourceRooms(folders);
  }

  private SourceRooms rooms() throws IOException {
    return new SourceRooms(List.of(folder));
  }

  private static List<String> lines(String list) throws IOException {
    return Files.readAllLines(LISTS.resolve(list)).stream()
        .filter(line -> !line.isBlank() && !line.startsWith("#"))
        .toList();
  }

  private static Set<String> exceptions(String kind) throws IOException {
    return lines("exceptions.txt").stream()
        .filter(line -> line.startsWith(kind + " "))
        .map(line -> line.substring(kind.length() + 1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private void source(String name, String code) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, code);
  }
}
