package dev.sluice.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.servers.PageLines;
import dev.sluice.servers.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Pages of both languages keep the rules of {@link PageLines}, and guides are short. {@code
 * -Dsluice.pages.write=true} breaks the lines of all pages by the rules.
 */
class PageShapeTest {
  private static final Path ROOT = SourceTree.path("");
  private static final int MAX_GUIDE_WORDS = 2_000;

  /** Pages to look something up in. */
  private static final Set<String> REFERENCE =
      Set.of(
          "docs/api.md",
          "docs/guarantees.md",
          "docs/proof.md",
          "docs/protocols.md",
          "docs/security.md",
          "docs/stored-formats.md");

  @Test
  void everyPageHasShortLinesWithOneSentenceEach() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path page : DocumentLinks.pages(ROOT)) {
      String name = name(page);
      if (name.contains("/vendor/")) {
        continue; // written by others
      }
      if (Boolean.getBoolean("sluice.pages.write")) {
        Files.writeString(page, PageLines.reflowed(Files.readString(page)));
      }
      PageLines.faults(Files.readString(page)).forEach(fault -> found.add(name + ":" + fault));
    }
    assertThat(found).as("break lines with -Dsluice.pages.write=true").isEmpty();
  }

  @Test
  void guidesAreShort() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path page : DocumentLinks.pages(ROOT)) {
      String name = name(page);
      int words = Files.readString(page).strip().split("\\s+").length;
      if (name.matches("docs/[^/]+[.]md") && !REFERENCE.contains(name) && words > MAX_GUIDE_WORDS) {
        found.add(name + " has " + words + " words");
      }
    }
    assertThat(found).isEmpty();
  }

  @Test
  void faultsAreFound() {
    String page =
        """
        # Page
        One sentence. Two sentences.
        One with `a. B` and [c. D](e.md), e.g. Redis.
        一句。两句。
        Tables of SQL. Another sentence.
        一句。 Redis 是一句。
        一句。*强调*是一句。
        %s
        | a | %s |
        ```
        One. Two. %s
        ```
        """
            .formatted("long ".repeat(40), "word ".repeat(61), "x".repeat(200));
    assertThat(PageLines.faults(page))
        .containsExactly(
            "2: two sentences",
            "4: two sentences",
            "5: two sentences",
            "6: two sentences",
            "7: two sentences",
            "8: 200 characters",
            "9: a cell of 61 words");
  }

  @Test
  void reflowedPageHasNoFault() {
    String page =
        """
        # Page

        One sentence. Another that
        goes on. **Bold.** More.

        - An item. Its second sentence.
        1. 一句。两句，
           接着。
        > A quote. More.

        %s
        """
            .formatted(("word ".repeat(30) + "end, ").repeat(3).strip());
    String reflowed = PageLines.reflowed(page);
    assertThat(PageLines.faults(reflowed)).isEmpty();
    assertThat(reflowed)
        .contains("One sentence.\nAnother that goes on.\n**Bold.**\nMore.\n")
        .contains("- An item.\n  Its second sentence.\n1. 一句。\n   两句，接着。\n> A quote.\n> More.\n");
    assertThat(PageLines.reflowed(reflowed)).isEqualTo(reflowed);
  }

  private static String name(Path page) {
    return ROOT.relativize(page).toString().replace('\\', '/');
  }
}
