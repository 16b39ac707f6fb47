package dev.sluice.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.servers.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links and images of every page, in both languages, lead to a file and to a heading of it. */
class DocumentLinksTest {
  private static final Path ROOT = SourceTree.path("");

  @TempDir Path planted;

  @BeforeEach
  void plantPagesWithoutFault() throws IOException {
    write(
        "docs/locks.md",
        """
        # Locks

        ## Take it, use it

        [below](#take-it-use-it-1) [the same](locks.md#clthrottle-and-more) ![a picture](a.svg)

        ## Take it, use it

        ## `CL.THROTTLE` [and](other.md) more

        ```
        [no link](gone.md)
        ## no heading
        ```

        `[no link](gone.md)` [elsewhere](https://example.org/gone.md#gone)
        """);
    write("docs/other.md", "# Other\n");
    write("docs/a.svg", "<svg/>");
    write("docs/zh/locks.md", "# 锁\n\n## 获取、使用（归还）\n\n[下面](#获取使用归还)\n");
    write(
        "README.md", "[locks](docs/locks.md#locks) [锁](docs/zh/locks.md#%E9%94%81) [all](docs/)\n");
  }

  @Test
  void everyLinkLeadsSomewhere() throws IOException {
    assertThat(broken(ROOT)).isEmpty();
  }

  @Test
  void everyPageIsLookedAt() throws IOException {
    List<String> pages =
        DocumentLinks.pages(ROOT).stream()
            .map(page -> ROOT.relativize(page).toString().replace('\\', '/'))
            .toList();
    assertThat(pages)
        .contains("README.md", "README.zh-CN.md", "CONTRIBUTING.md", "CHANGELOG.md")
        .contains("models/README.md", "docs/guarantees.md", "docs/zh/guarantees.md")
        .contains("docs/results/benchmarks.md", "docs/zh/results/benchmarks.md")
        .noneMatch(page -> page.contains("target/"));
  }

  @Test
  void theIndexListsEveryPage() throws IOException {
    assertThat(unlisted(ROOT, "docs")).isEmpty();
    assertThat(unlisted(ROOT, "docs/zh")).isEmpty();
  }

  @Test
  void aPageThatTheIndexLeavesOutIsNoticed() throws IOException {
    write("docs/README.md", "[locks](locks.md)\n");
    write("docs/zh/README.md", "# 文档\n");

    assertThat(unlisted(planted, "docs")).containsExactly("docs/other.md");
    assertThat(unlisted(planted, "docs/zh")).containsExactly("docs/zh/locks.md");
  }

  @Test
  void pagesWithoutFaultPass() throws IOException {
    assertThat(broken(planted)).isEmpty();
  }

  @Test
  void aDeadLinkIsNoticed() throws IOException {
    write("docs/zh/other.md", "[a](gone.md) [b](../gone/) [c]: gone.html\n\n[d]: ../gone.html\n");

    assertThat(broken(planted))
        .containsExactly(
            "docs/zh/other.md links to gone.md, which is not there",
            "docs/zh/other.md links to ../gone/, which is not there",
            "docs/zh/other.md links to ../gone.html, which is not there");
  }

  @Test
  void aDeadPictureIsNoticed() throws IOException {
    write("README.md", "![a](docs/gone.svg) <img alt=\"b\" src=\"docs/gone.png\">\n");

    assertThat(broken(planted))
        .containsExactly(
            "README.md links to docs/gone.svg, which is not there",
            "README.md links to docs/gone.png, which is not there");
  }

  @Test
  void aDeadAnchorIsNoticed() throws IOException {
    write("CONTRIBUTING.md", "[a](docs/locks.md#take-it-use-it-2) [b](#build)\n");
    write("models/README.md", "[c](../docs/zh/locks.md#获取-使用) [d](../docs/locks.md#no-heading)\n");

    assertThat(broken(planted))
        .containsExactly(
            "CONTRIBUTING.md links to docs/locks.md#take-it-use-it-2, which is no heading",
            "CONTRIBUTING.md links to #build, which is no heading",
            "models/README.md links to ../docs/zh/locks.md#获取-使用, which is no heading",
            "models/README.md links to ../docs/locks.md#no-heading, which is no heading");
  }

  private static List<String> broken(Path root) throws IOException {
    DocumentLinks links = new DocumentLinks(root);
    List<String> found = new ArrayList<>();
    for (Path page : DocumentLinks.pages(root)) {
      found.addAll(links.broken(page));
    }
    return found;
  }

  /** {@return pages of a language that its index has no link to} */
  private static List<String> unlisted(Path root, String folder) throws IOException {
    Path index = root.resolve(folder).resolve("README.md");
    Path chinese = root.resolve("docs/zh");
    Set<Path> listed = DocumentLinks.targets(index);
    return DocumentLinks.pages(root).stream()
        .filter(page -> page.startsWith(index.getParent()) && !page.equals(index))
        .filter(page -> page.startsWith(chinese) == index.startsWith(chinese))
        .filter(page -> !listed.contains(page))
        .map(page -> root.relativize(page).toString().replace('\\', '/'))
        .toList();
  }

  private void write(String file, String text) throws IOException {
    Path target = planted.resolve(file);
    Files.createDirectories(target.getParent());
    Files.writeString(target, text);
  }
}
