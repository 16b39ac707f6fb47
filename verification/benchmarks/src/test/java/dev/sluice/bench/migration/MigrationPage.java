package dev.sluice.bench.migration;

import dev.sluice.servers.SourceTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * docs/migration.md in one language.
 *
 * @param file where it is
 * @param text its text
 * @param sideBySide the words before what a section says about old and new instances that both run
 */
record MigrationPage(Path file, String text, String sideBySide) {
  private static final Pattern FENCED = Pattern.compile("(?ms)^```(.*?)\\R(.*?)^```$");

  /** A block with the words of its fence. */
  record Fenced(String words, String code) {}

  static List<MigrationPage> both() {
    return List.of(
        read("docs/migration.md", "While both run, "), read("docs/zh/migration.md", "两者同时运行期间，"));
  }

  private static MigrationPage read(String path, String sideBySide) {
    Path file = SourceTree.path(path);
    try {
      return new MigrationPage(file, Files.readString(file), sideBySide);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The text below the heading that has a name. */
  String section(String name) {
    return Stream.of(text.split("(?m)^## "))
        .skip(1)
        .filter(section -> section.lines().findFirst().orElse("").contains(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no section about " + name + " in " + file));
  }

  /** The blocks of a text, without the comments, which are translated. */
  static List<Fenced> blocks(String text) {
    return FENCED
        .matcher(text)
        .results()
        .map(block -> new Fenced(block.group(1), withoutComments(block.group(2))))
        .toList();
  }

  static String withoutComments(String code) {
    return code.replaceAll("(?m)[ \\t]*// .*$", "").strip();
  }

  /** The first cell of each row of a section's tables, without their headers. */
  static List<String> firstCells(String section) {
    List<String> rows = section.lines().filter(line -> line.startsWith("|")).toList();
    return rows.stream()
        .filter(row -> !row.startsWith("|---"))
        .map(row -> row.split("\\|")[1].strip())
        .toList();
  }

  @Override
  public String toString() {
    return file.getParent().getFileName() + "/" + file.getFileName();
  }
}
