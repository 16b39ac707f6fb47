package dev.sluice.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.build.Promises.Form;
import dev.sluice.build.Promises.Language;
import dev.sluice.build.Promises.Page;
import dev.sluice.servers.SourceTree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The tables of promises on the pages are those of {@code docs/promises.yaml}, and no page states a
 * promise by hand. {@code -Dsluice.promises.write=true} writes the tables.
 */
class PromisesTest {
  private static final Path ROOT = SourceTree.path("");

  private static final List<Page> PAGES =
      Stream.of(
              pages("guarantees.md", Form.TITLED),
              pages("inventory.md", Form.TITLED),
              pages("quorum.md", Form.UNTITLED),
              pages("proof.md", Form.PROOF),
              pages("torture.md", Form.CHECKED),
              pages("README.md", Form.SHORT))
          .flatMap(List::stream)
          .toList();

  /** A row that begins with an id, or the head of a table that says what is not promised. */
  private static final String STATED =
      "(?m)^\\| *\\*\\*(?:%s)\\b.*$"
          + "|^\\|.*\\| *(?i:not promised|not guaranteed|不承诺|不保证) *\\|.*$";

  private static final Pattern FENCED = Pattern.compile("(?ms)^```.*?^```");

  private static final String ONE =
      """
      locks:
        - id: L1
          title: {en: exclusion, zh: 互斥}
          promise:
            en: |-
              One lease.
              At a time.
            zh: |-
              一个租约。
              同一时刻。
          not promised: {en: "Two.", zh: 两个。}
          proof:
            - tests: [LeaseTest.one, LeaseTest.two*]
              modules: core,redis
              run: LeaseTest
      """;

  private static final String TABLE =
      """
      | | promise | condition | not promised |
      |---|---|---|---|
      | **L1** exclusion | One lease. At a time. | | Two. |
      """;

  private static final String PROOF =
      """
      | promise | tests | planted, and found by | run |
      |---|---|---|---|
      | **L1** exclusion | `LeaseTest.one`, `LeaseTest.two*` | none | `prove core,redis 'LeaseTest'` |
      """;

  @TempDir Path planted;

  private static List<Page> pages(String name, Form form) {
    boolean readme = name.equals("README.md");
    return List.of(
        new Page(readme ? name : "docs/" + name, Language.EN, form),
        new Page(readme ? "README.zh-CN.md" : "docs/zh/" + name, Language.ZH, form));
  }

  private static String region(String group, String table) {
    return "<!-- promises: %s -->\n%s<!-- end of promises: %s -->\n".formatted(group, table, group);
  }

  @BeforeEach
  void plantATreeWithoutFault() throws IOException {
    write(Promises.FILE, ONE);
    Promises promises = new Promises(planted);
    for (Page page : PAGES) {
      write(page.file(), promises.rendered(page, region("locks", "")));
    }
  }

  @Test
  void thePagesShowThePromisesOfTheFile() throws IOException {
    if (Boolean.getBoolean("sluice.promises.write")) {
      Promises promises = new Promises(ROOT);
      for (Page page : PAGES) {
        Path file = ROOT.resolve(page.file());
        Files.writeString(file, promises.rendered(page, Files.readString(file)));
      }
    }
    assertThat(faults(ROOT)).isEmpty();
  }

  @Test
  void aTreeWithoutFaultPasses() throws IOException {
    assertThat(faults(planted)).isEmpty();
    assertThat(planted.resolve("docs/guarantees.md"))
        .content(StandardCharsets.UTF_8)
        .contains(TABLE);
    assertThat(planted.resolve("docs/zh/guarantees.md"))
        .content(StandardCharsets.UTF_8)
        .contains("| **L1** 互斥 | 一个租约。同一时刻。 | | 两个。 |\n");
    assertThat(planted.resolve("docs/proof.md")).content(StandardCharsets.UTF_8).contains(PROOF);
  }

  @Test
  void aRegionEditedByHandIsNoticed() throws IOException {
    write("docs/guarantees.md", region("locks", TABLE.replace("At a time", "Mostly")));

    assertThat(faults(planted))
        .containsExactly(
            "docs/guarantees.md differs from docs/promises.yaml:"
                + " -Dsluice.promises.write=true writes it again");
  }

  @Test
  void aPromiseStatedByHandIsNoticed() throws IOException {
    write(
        "docs/locks.md",
        "| | tests |\n|---|---|\n| **L1** one | `ATest` |\n\n```\n| **L1** |\n```\n");
    write("docs/zh/locks.md", "| | 承诺 | 不承诺 |\n|---|---|---|\n| **一个** | 租约 | |\n");
    write("docs/limits.md", region("locks", TABLE));
    write("docs/soak.md", "| checked | |\n|---|---|\n| L1 | at each grant |\n");
    write("README.md", "| | |\n|---|---|\n| **L1**, **L2** | one |\n");

    assertThat(faults(planted))
        .containsExactlyInAnyOrder(
            "docs/locks.md states a promise by hand: | **L1** one | `ATest` |",
            "docs/zh/locks.md states a promise by hand: | | 承诺 | 不承诺 |",
            "docs/limits.md states a promise by hand: | | promise | condition | not promised |",
            "docs/limits.md states a promise by hand:"
                + " | **L1** exclusion | One lease. At a time. | | Two. |",
            "README.md states a promise by hand: | **L1**, **L2** | one |");
  }

  @Test
  void aPromiseThatNoPageShowsIsNoticed() throws IOException {
    write("docs/proof.md", "# Proof\n");

    assertThat(faults(planted)).containsExactly("no page in EN shows PROOF of [locks]");
  }

  @Test
  void aPromiseWithoutAProofIsNoticed() throws IOException {
    String second = "  - id: L2\n    title: {en: fencing, zh: 令牌}\n";
    write(Promises.FILE, ONE + second + "  - id: L2\n    title: {en: again, zh: 又}\n");
    assertThat(faults(planted))
        .contains(
            "docs/promises.yaml has no proof of **L2** fencing", "docs/promises.yaml has L2 twice");

    write(Promises.FILE, ONE + second + "    proof: [{modules: core, run: ATest}]\n");
    assertThat(faults(planted))
        .contains("docs/promises.yaml has a proof without tests of **L2** fencing");
  }

  @Test
  void aTextWithoutATranslationOrAnUnknownFieldIsRefused() throws IOException {
    write(Promises.FILE, ONE.replace("title: {en: exclusion, zh: 互斥}", "title: {en: exclusion}"));
    assertThatThrownBy(() -> faults(planted)).hasMessageContaining("title must have en and zh");

    write(Promises.FILE, ONE.replace("not promised:", "not promissed:"));
    assertThatThrownBy(() -> faults(planted))
        .hasMessageContaining("unknown fields [not promissed]");
  }

  /** Returns what is wrong with the file and the pages below a root, empty when nothing is. */
  private static List<String> faults(Path root) throws IOException {
    Promises promises = new Promises(root);
    List<String> found = new ArrayList<>(promises.faults());
    for (Language language : Language.values()) {
      for (Form form : PAGES.stream().map(Page::form).distinct().toList()) {
        Set<String> hidden = promises.groups(form);
        for (Page page : PAGES) {
          if (page.language() == language && page.form() == form) {
            hidden.removeAll(promises.shown(Files.readString(root.resolve(page.file()))));
          }
        }
        if (!hidden.isEmpty()) {
          found.add("no page in %s shows %s of %s".formatted(language, form, hidden));
        }
      }
    }
    Pattern stated = Pattern.compile(STATED.formatted(String.join("|", promises.ids())));
    for (Path file : DocumentLinks.pages(root)) {
      String name = root.relativize(file).toString().replace('\\', '/');
      String text = Files.readString(file);
      Page page = PAGES.stream().filter(each -> each.file().equals(name)).findFirst().orElse(null);
      if (page != null && !text.equals(promises.rendered(page, text))) {
        found.add(
            "%s differs from %s: -Dsluice.promises.write=true writes it again"
                .formatted(name, Promises.FILE));
      }
      if (name.matches("docs/.*|README.*")) {
        String hand = FENCED.matcher(page == null ? text : Promises.outside(text)).replaceAll("");
        stated
            .matcher(hand)
            .results()
            .map(MatchResult::group)
            .forEach(row -> found.add(name + " states a promise by hand: " + row));
      }
    }
    return found;
  }

  private void write(String file, String text) throws IOException {
    Path target = planted.resolve(file);
    Files.createDirectories(target.getParent());
    Files.writeString(target, text);
  }
}
