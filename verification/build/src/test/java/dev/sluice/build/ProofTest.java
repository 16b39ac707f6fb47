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
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The tests that {@code docs/proof.md}, {@code docs/security.md} and {@code docs/techniques.md}
 * name exist, and every technique has a test and a page. {@link PromisesTest} compares the rows of
 * promises with their file.
 */
class ProofTest {
  private static final Path ROOT = SourceTree.path("");
  private static final Pattern NAMED_TEST =
      Pattern.compile(
          "`([\\w-]+/)?(\\w+(?:Test|IT|Contract)|[A-Z]\\w+(?=\\.[a-z*]))(?:\\.([\\w*]+))?`");
  private static final Pattern COMMAND = Pattern.compile("`prove ([\\w,-]+) '([^']+)'`");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| \\*\\*.*$");
  private static final List<String> DOCUMENTS = List.of("proof.md", "security.md", "techniques.md");
  private static final Pattern TECHNIQUE = Pattern.compile("(?m)^\\| (?!technique |技术 ).*$");
  private static final Pattern PAGE = Pattern.compile("]\\([\\w-]+\\.md");
  private static final Pattern EMPTY_CELL = Pattern.compile("\\|\\s*\\|");
  private static final Set<String> UNPROVED = Set.of("not proved by a test", "没有测试证明");

  @TempDir Path planted;

  @BeforeEach
  void plantATreeWithoutFault() throws IOException {
    write("core/src/test/java/LeaseTest.java", "@Test\nvoid endsInTime() {}\n");
    write("core/src/test/java/OddTest.java", "@Test\nvoid odd() {}\n");
    write("stores/redis/src/test/java/OddTest.java", "@Test\nvoid odd() {}\n");
    write("stores/redis/src/test/java/RedisTest.java", "class RedisTest extends LeaseTest {}\n");
    write("testkit/src/main/java/Order.java", "@Test\ndefault void inTurn() {}\n");
    write("core/src/test/java/QueueTest.java", "class QueueTest implements Plain,\n    Order {}\n");
    write("docs/guarantees.md", "## Order, and more\n");
    write("docs/security.md", "`LeaseTest.endsInTime`\n");
    write("docs/zh/security.md", "`LeaseTest.endsInTime`\n");
    writeTechnique("`LeaseTest.endsInTime`");
    writeRows("`LeaseTest.endsInTime`");
  }

  private void writeRows(String proofOfL1) throws IOException {
    for (String file : List.of("docs/proof.md", "docs/zh/proof.md")) {
      String rows = "| **L1** | %s |\n| **I1** | `redis/OddTest.odd` |\n".formatted(proofOfL1);
      write(file, "# Proof\n" + rows);
    }
  }

  private void writeTechnique(String tests) throws IOException {
    write(
        "docs/techniques.md",
        "| technique | tests |\n|---|---|\n| [a lease](locks.md) | " + tests + " |\n");
    write("docs/zh/techniques.md", "| 技术 | 测试 |\n|---|---|\n| [租约](locks.md) | " + tests + " |\n");
  }

  @Test
  void whatThePagesNameExists() throws IOException {
    assertThat(faults(ROOT)).isEmpty();
  }

  @Test
  void aTableWithoutFaultPasses() throws IOException {
    assertThat(faults(planted)).isEmpty();
  }

  @Test
  void aTestThatIsNotThereIsNoticed() throws IOException {
    writeRows("`LeaseTest.endsTooLate`, `GoneTest.endsInTime`");

    assertThat(faults(planted))
        .contains(
            "docs/proof.md names LeaseTest.endsTooLate, which no source has",
            "docs/proof.md names GoneTest.endsInTime, which no source has");
  }

  @Test
  void aTestThatIsGoneIsNoticedInTheOtherDocumentToo() throws IOException {
    write("docs/zh/security.md", "`LeaseTest.endsInTime` `LeaseTest.gone`\n");

    assertThat(faults(planted))
        .containsExactly("docs/zh/security.md names LeaseTest.gone, which no source has");
  }

  @Test
  void aTestOfAContractIsFoundThereAndInWhatListsIt() throws IOException {
    writeRows("`Order.inTurn`, `QueueTest.inTurn`, `Order.outOfTurn`, `Disorder.inTurn`");

    assertThat(faults(planted))
        .filteredOn(fault -> fault.startsWith("docs/proof.md"))
        .containsExactly(
            "docs/proof.md names Order.outOfTurn, which no source has",
            "docs/proof.md names Disorder.inTurn, which no source has");
  }

  @Test
  void aTestOfTwoModulesIsNoticed() throws IOException {
    writeRows("`OddTest.odd`");

    assertThat(faults(planted))
        .contains("docs/proof.md names OddTest.odd, which several modules have: say which");
  }

  @Test
  void aCommandThatRunsNothingIsNoticed() throws IOException {
    writeRows("`LeaseTest.ends*` `prove core,redis 'Redis*#endsInTime,LeaseTest#gone'`");

    assertThat(faults(planted))
        .contains("docs/proof.md proves LeaseTest#gone in core,redis, which runs no test")
        .noneMatch(fault -> fault.contains("endsInTime"));
  }

  @Test
  void aModuleThatIsNotThereIsNoticed() throws IOException {
    writeRows("`LeaseTest.ends*` `prove gone,core 'LeaseTest'`");

    assertThat(faults(planted))
        .contains("docs/proof.md proves in gone, which is no module with tests");
  }

  @Test
  void aLinkToNowhereIsNoticed() throws IOException {
    writeRows("`LeaseTest.endsInTime` [a](gone.md) [b](guarantees.md#orders)");
    write("docs/zh/guarantees.md", "## Orders\n");

    assertThat(faults(planted))
        .containsExactly(
            "docs/proof.md links to gone.md, which is not there",
            "docs/proof.md links to guarantees.md#orders, which is no heading",
            "docs/zh/proof.md links to gone.md, which is not there");
  }

  @Test
  void aRowThatProvesNothingMustSaySo() throws IOException {
    writeRows("believe me");
    assertThat(faults(planted))
        .contains("docs/proof.md has a row without a test: | **L1** | believe me |");

    writeRows("not proved by a test");
    assertThat(faults(planted)).isEmpty();
  }

  @Test
  void aTechniqueWithoutATestOrWithAnEmptyCellIsNoticed() throws IOException {
    writeTechnique("believe me");
    assertThat(faults(planted))
        .containsExactly(
            "docs/techniques.md has a row without a test: | [a lease](locks.md) | believe me |",
            "docs/zh/techniques.md has a row without a test: | [租约](locks.md) | believe me |");

    writeTechnique("`LeaseTest.endsInTime` | ");
    assertThat(faults(planted))
        .hasSize(2)
        .allMatch(fault -> fault.contains("has an empty cell: | "));
  }

  @Test
  void aTechniqueWithoutAPageIsNoticed() throws IOException {
    write("docs/techniques.md", "| technique | tests |\n| a lease | `LeaseTest.endsInTime` |\n");

    assertThat(faults(planted))
        .containsExactly(
            "docs/techniques.md has a row without a page: | a lease | `LeaseTest.endsInTime` |");
  }

  @Test
  void aTranslationThatNamesOtherTestsIsNoticed() throws IOException {
    write("docs/zh/proof.md", "| **L1** | 没有测试证明 |\n| **I1** | `redis/OddTest.odd` |\n");

    assertThat(faults(planted))
        .containsExactly("docs/zh/proof.md does not name LeaseTest.endsInTime");
  }

  /** Returns what is wrong with the table and its translation, empty when nothing is. */
  private static List<String> faults(Path root) throws IOException {
    TestSources sources = new TestSources(root);
    DocumentLinks links = new DocumentLinks(root);
    List<String> found = new ArrayList<>();
    for (String document : DOCUMENTS) {
      for (String file : List.of("docs/" + document, "docs/zh/" + document)) {
        for (MatchResult named : matches(NAMED_TEST, Files.readString(root.resolve(file)))) {
          checkTest(sources, file, named, found);
        }
      }
      Set<String> untold = names(root.resolve("docs/" + document));
      untold.removeAll(names(root.resolve("docs/zh/" + document)));
      untold.forEach(name -> found.add("docs/zh/" + document + " does not name " + name));
    }
    for (String file : List.of("docs/techniques.md", "docs/zh/techniques.md")) {
      for (MatchResult row : matches(TECHNIQUE, Files.readString(root.resolve(file)))) {
        if (matches(NAMED_TEST, row.group()).isEmpty()) {
          found.add(file + " has a row without a test: " + row.group());
        }
        if (!PAGE.matcher(row.group()).find()) {
          found.add(file + " has a row without a page: " + row.group());
        }
        if (EMPTY_CELL.matcher(row.group()).find()) {
          found.add(file + " has an empty cell: " + row.group());
        }
      }
    }
    for (String file : List.of("docs/proof.md", "docs/zh/proof.md")) {
      String text = Files.readString(root.resolve(file));
      for (MatchResult command : matches(COMMAND, text)) {
        checkCommand(sources, file, command, found);
      }
      for (MatchResult row : matches(ROW, text)) {
        if (matches(NAMED_TEST, row.group()).isEmpty()
            && UNPROVED.stream().noneMatch(row.group()::contains)) {
          found.add(file + " has a row without a test: " + row.group());
        }
      }
      found.addAll(links.broken(root.resolve(file)));
    }
    return found;
  }

  private static Set<String> names(Path file) throws IOException {
    Set<String> names = new TreeSet<>();
    for (Pattern pattern : List.of(NAMED_TEST, COMMAND)) {
      matches(pattern, Files.readString(file))
          .forEach(each -> names.add(each.group().replace("`", "")));
    }
    return names;
  }

  private static void checkTest(
      TestSources sources, String file, MatchResult named, List<String> found) {
    Set<String> modules =
        named.group(1) == null
            ? Set.of()
            : Set.of(named.group(1).substring(0, named.group(1).length() - 1));
    String method = named.group(3);
    String name = named.group(2) + (method == null ? "" : "." + method);
    List<TestSources.TestClass> classes = sources.classes(modules, named.group(2));
    if (classes.size() > 1) {
      found.add(file + " names " + name + ", which several modules have: say which");
    } else if (classes.isEmpty() || (method != null && !sources.has(classes.get(0), method))) {
      found.add(file + " names " + name + ", which no source has");
    }
  }

  private static void checkCommand(
      TestSources sources, String file, MatchResult command, List<String> found) {
    Set<String> modules = new TreeSet<>(List.of(command.group(1).split(",")));
    for (String module : modules) {
      if (!sources.hasModule(module)) {
        found.add(file + " proves in " + module + ", which is no module with tests");
      }
    }
    for (String pattern : command.group(2).split(",")) {
      String[] parts = pattern.split("#");
      boolean runs =
          sources.classes(modules, parts[0]).stream()
              .filter(each -> each.name().matches(".*(Test|IT)"))
              .anyMatch(each -> parts.length == 1 || sources.has(each, parts[1]));
      if (!runs) {
        found.add(
            "%s proves %s in %s, which runs no test".formatted(file, pattern, command.group(1)));
      }
    }
  }

  private static List<MatchResult> matches(Pattern pattern, String text) {
    List<MatchResult> found = new ArrayList<>();
    Matcher matcher = pattern.matcher(text);
    while (matcher.find()) {
      found.add(matcher.toMatchResult());
    }
    return found;
  }

  private void write(String file, String text) throws IOException {
    Path target = planted.resolve(file);
    Files.createDirectories(target.getParent());
    Files.writeString(target, text);
  }
}
