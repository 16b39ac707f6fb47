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
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Chinese documents mirror the English ones: the same files and sections, the same code but for
 * comments and texts, the same numbers, tables and pictures.
 */
class TranslatedDocumentsTest {
  private static final Path ROOT = SourceTree.path("");
  private static final Pattern FENCED = Pattern.compile("(?ms)^```.*?^```");

  /** Tables of names and versions, which a translation would only repeat. */
  private static final Set<String> ENGLISH_ONLY = Set.of("results/licences.md");

  private static final Pattern SECTION = Pattern.compile("(?m)^## ");
  private static final Pattern CODE = Pattern.compile("(?ms)^ *```([^\\n]*)\\n(.*?)^ *```");

  /** Comments and literals, whose words differ by language. */
  private static final Pattern WORDS =
      Pattern.compile(
          "(?s)<!--.*?-->|/\\*.*?\\*/|(?m:(?:^|(?<=\\s))(?://|#+|--)(?: [^\\n]*)?$)"
              + "|\"[^\"\\n]*\"|'[^'\\n]*'|\\s+");

  private static final Pattern CELL = Pattern.compile("(?<!\\\\)[|]");
  private static final Pattern PICTURE =
      Pattern.compile("!\\[[^\\]]*\\]\\(([^)]*)\\)|<img[^>]*src=\"([^\"]*)\"");

  /** Numbers of two characters or more: small ones are often words. */
  private static final Pattern NUMBER = Pattern.compile("(?<![\\w.])(?:\\d[\\d,.]*\\d)++(?! ?月)");

  private static final Pattern NO_NUMBER =
      Pattern.compile("(?m)`[^`]*`|\\]\\([^)]*\\)|^#.*|\\d+ [A-Z][a-z]+ \\d{4}");

  @TempDir Path planted;

  @BeforeEach
  void plantATreeWithoutFault() throws IOException {
    write("README.md", "# Sluice\n\n## Sixty seconds\n");
    write("README.zh-CN.md", "# Sluice\n\n## Sixty seconds\n");
    write(
        "docs/locks.md",
        """
        # Locks

        ## Take it

        ![a](images/a.svg) for 30 s or 1,000 ms

        ```java
        ## a comment
        lock("one"); // a comment
        ```

        | a | b |
        |---|---|
        """);
    write(
        "docs/zh/locks.md",
        """
        # 锁

        ## 获取

        ![图](../images/a.svg) 30 秒，即 1,000 ms

        ```java
        ## 注释
        lock("一"); // 注释
        ```

        | 甲 | 乙 |
        |---|---|
        """);
  }

  @Test
  void everyDocumentHasItsTwin() throws IOException {
    assertThat(documents(ROOT.resolve("docs"))).hasSizeGreaterThan(8);
    assertThat(differences(ROOT)).isEmpty();
  }

  @Test
  void aTreeWithoutFaultPasses() throws IOException {
    assertThat(differences(planted)).isEmpty();
  }

  @Test
  void aMissingTranslationIsNoticed() throws IOException {
    write("docs/bloom.md", "# Bloom filters\n");

    assertThat(differences(planted)).containsExactly("docs/zh/bloom.md is missing");
  }

  @Test
  void aListOfNamesNeedsNoTranslation() throws IOException {
    write("docs/results/licences.md", "# Licences\n");

    assertThat(differences(planted)).isEmpty();
  }

  @Test
  void aMissingReadmeIsNoticed() throws IOException {
    Files.delete(planted.resolve("README.zh-CN.md"));

    assertThat(differences(planted)).containsExactly("README.zh-CN.md is missing");
  }

  @Test
  void aTranslationOfNothingIsNoticed() throws IOException {
    write("docs/zh/gone.md", "# Gone\n");

    assertThat(differences(planted)).containsExactly("docs/zh/gone.md has no English original");
  }

  @Test
  void aMissingSectionIsNoticed() throws IOException {
    change("# Locks", "# Locks\n\n## Release it");

    assertThat(differences(planted))
        .containsExactly("docs/zh/locks.md has 1 sections, its original 2");
  }

  @Test
  void otherCodeNumbersTablesAndPicturesAreNoticed() throws IOException {
    change("lock(", "unlock(");
    change("1,000 ms", "2,000 ms");
    change("a.svg", "b.svg");
    change("| a | b |", "| a |");

    assertThat(differences(planted))
        .containsExactly(
            "docs/zh/locks.md has another block of code 1 than its original",
            "docs/zh/locks.md has another row of a table 1 than its original",
            "docs/zh/locks.md has another picture 1 than its original",
            "docs/zh/locks.md adds the number 1,000",
            "docs/zh/locks.md lacks the number 2,000");
  }

  private void change(String from, String to) throws IOException {
    Path page = planted.resolve("docs/locks.md");
    Files.writeString(page, Files.readString(page).replace(from, to));
  }

  /** Returns what is wrong with the translations below a folder, empty when nothing is. */
  private static List<String> differences(Path root) throws IOException {
    Path english = root.resolve("docs");
    Path chinese = english.resolve("zh");
    List<String> found = new ArrayList<>();
    compare(root, root.resolve("README.md"), root.resolve("README.zh-CN.md"), found);
    for (Path file : documents(english)) {
      String name = english.relativize(file).toString().replace('\\', '/');
      if (!file.startsWith(chinese) && !ENGLISH_ONLY.contains(name)) {
        compare(root, file, chinese.resolve(english.relativize(file)), found);
      }
    }
    for (Path file : documents(chinese)) {
      if (!Files.exists(english.resolve(chinese.relativize(file)))) {
        found.add(root.relativize(file) + " has no English original");
      }
    }
    return found;
  }

  private static void compare(Path root, Path original, Path translation, List<String> found)
      throws IOException {
    if (!Files.exists(translation)) {
      found.add(root.relativize(translation) + " is missing");
      return;
    }
    long expected = sections(original);
    long actual = sections(translation);
    if (actual != expected) {
      found.add(
          "%s has %d sections, its original %d"
              .formatted(root.relativize(translation), actual, expected));
    }
    if (!original.getParent().endsWith("results")) {
      compareShapes(root, original, translation, found);
    }
  }

  /** What the pages have of each kind; results are generated for both languages alike. */
  private static void compareShapes(Path root, Path original, Path translation, List<String> found)
      throws IOException {
    String name = root.relativize(translation).toString();
    String english = Files.readString(original);
    String chinese = Files.readString(translation);
    compareLists(name, "block of code", code(english), code(chinese), found);
    english = FENCED.matcher(english).replaceAll("");
    chinese = FENCED.matcher(chinese).replaceAll("");
    compareLists(name, "row of a table", rows(english), rows(chinese), found);
    compareLists(name, "picture", pictures(english), pictures(chinese), found);
    Set<String> numbers = numbers(english);
    Set<String> other = numbers(chinese);
    Set<String> all = new TreeSet<>(numbers);
    all.addAll(other);
    for (String number : all) {
      if (!numbers.contains(number) || !other.contains(number)) {
        found.add(name + (other.contains(number) ? " adds" : " lacks") + " the number " + number);
      }
    }
  }

  private static void compareLists(
      String name, String what, List<String> original, List<String> actual, List<String> found) {
    if (original.size() != actual.size()) {
      found.add(
          "%s has %d of %s, its original %d".formatted(name, actual.size(), what, original.size()));
      return;
    }
    for (int i = 0; i < original.size(); i++) {
      if (!original.get(i).equals(actual.get(i))) {
        found.add("%s has another %s %d than its original".formatted(name, what, i + 1));
      }
    }
  }

  /** Code without comments and literals; of other text, the number of its lines. */
  private static List<String> code(String page) {
    return CODE.matcher(page)
        .results()
        .map(
            block ->
                block.group(1).isBlank()
                    ? block.group(2).lines().count() + " lines"
                    : block.group(1) + WORDS.matcher(block.group(2)).replaceAll(""))
        .toList();
  }

  private static List<String> rows(String prose) {
    return prose
        .lines()
        .filter(line -> line.startsWith("|"))
        .map(line -> CELL.matcher(line).results().count() + " columns")
        .toList();
  }

  private static List<String> pictures(String prose) {
    return PICTURE
        .matcher(prose)
        .results()
        .map(found -> found.group(1) == null ? found.group(2) : found.group(1))
        .map(path -> Path.of(path).getFileName().toString().replaceFirst("-zh(?=[.-])", ""))
        .toList();
  }

  private static Set<String> numbers(String prose) {
    return NUMBER
        .matcher(NO_NUMBER.matcher(prose).replaceAll(" "))
        .results()
        .map(MatchResult::group)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Headings of the second level; a line of a code block is none. */
  private static long sections(Path file) throws IOException {
    String prose = FENCED.matcher(Files.readString(file)).replaceAll("");
    return SECTION.matcher(prose).results().count();
  }

  private static List<Path> documents(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(".md")).sorted().toList();
    }
  }

  private void write(String file, String text) throws IOException {
    Path target = planted.resolve(file);
    Files.createDirectories(target.getParent());
    Files.writeString(target, text);
  }
}
