package dev.sluice.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.servers.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Chinese documents mirror the English ones, file for file and section for section. */
class TranslatedDocumentsTest {
  private static final Path ROOT = SourceTree.path("");
  private static final Pattern FENCED = Pattern.compile("(?ms)^```.*?^```");

  /** Tables of names and versions, which a translation would only repeat. */
  private static final Set<String> ENGLISH_ONLY = Set.of("results/licences.md");

  private static final Pattern SECTION = Pattern.compile("(?m)^## ");

  @TempDir Path planted;

  @BeforeEach
  void plantATreeWithoutFault() throws IOException {
    write("README.md", "# Sluice\n\n## Sixty seconds\n");
    write("README.zh-CN.md", "# Sluice\n\n## Sixty seconds\n");
    write("docs/locks.md", "# Locks\n\n## Take it\n\n```\n## a comment\n```\n");
    write("docs/zh/locks.md", "# Locks\n\n## Take it\n");
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
    write("docs/locks.md", "# Locks\n\n## Take it\n\n## Give it back\n");

    assertThat(differences(planted))
        .containsExactly("docs/zh/locks.md has 1 sections, its original 2");
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
