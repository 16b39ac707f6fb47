package dev.sluice.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.servers.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Pages are written as .editorconfig says: two spaces for a level, and lines that fit a screen. */
class PageStyleTest {

  /** Every folder that holds a page. Folders named vendor below them hold files of others. */
  private static final List<String> PAGES =
      List.of("tools/console/src/main/resources/dev/sluice/console/page");

  private static final int MAX_COLUMNS = 120;
  private static final Pattern SOURCE = Pattern.compile(".*\\.(js|css|html)");

  /** An even number of spaces, or one more in front of the star of a comment. */
  private static final Pattern INDENTED = Pattern.compile("(  )*(\\S.*| \\*.*)?");

  @Test
  void everyLineIsIndentedByTwoAndFits() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (String page : PAGES) {
      List<Path> sources = sources(SourceTree.path(page));
      assertThat(sources).as(page).isNotEmpty();
      for (Path source : sources) {
        List<String> lines = Files.readAllLines(source);
        for (int i = 0; i < lines.size(); i++) {
          if (!isWell(lines.get(i))) {
            wrong.add(source + ":" + (i + 1) + ": " + lines.get(i));
          }
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  private static boolean isWell(String line) {
    return line.length() <= MAX_COLUMNS
        && line.indexOf('\t') < 0
        && line.equals(line.stripTrailing())
        && INDENTED.matcher(line).matches();
  }

  private static List<Path> sources(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(file -> SOURCE.matcher(file.getFileName().toString()).matches())
          .filter(file -> !folder.relativize(file).toString().contains("vendor"))
          .sorted()
          .toList();
    }
  }
}
