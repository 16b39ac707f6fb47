package dev.sluice.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.servers.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Comments and messages of main code use none of the phrases of phrases.txt. */
class PhrasesTest {
  private static final Path LIST =
      SourceTree.path("verification/build/src/test/resources/phrases.txt");

  @Test
  void sourcesUseNoneOfThePhrases() throws Exception {
    Phrases phrases = Phrases.of(LIST);
    List<String> found = new ArrayList<>();
    int files = 0;
    for (String module : SourceTree.modules()) {
      Path sources = SourceTree.path(module + "/src/main/java");
      for (Path file : Files.isDirectory(sources) ? sources(sources) : List.<Path>of()) {
        found.addAll(
            phrases.in(
                module + "/" + sources.relativize(file).toString().replace('\\', '/'),
                Files.readString(file)));
        files++;
      }
    }
    assertThat(files).isGreaterThan(1_000);
    assertThat(found).as("rewrite the sentence, do not swap words").isEmpty();
  }

  @Test
  void findsAPhraseInEachKindOfText() throws Exception {
    Phrases phrases = Phrases.of(LIST);
    String source =
        """
        package dev.a;

        /**
         * Opens a connection of
         * its own.
         */
        class One {
          // the listener is
          // told of each change
          String message = "a client hea" + "rs, so that" + " nobody waits in v"; // ain
          char quote = '"'; /* waits for good */
          String block =
              \"""
              Somebody
              else
              \""";
        }
        """;
    assertThat(phrases.in("One.java", source))
        .containsExactly(
            "One.java:3: \"of its own\", instead: its own, separate, new",
            "One.java:8: \"is told\", instead: gets, is called, is notified",
            "One.java:10: \"so that nobody\", instead: so that no client, no caller, no process",
            "One.java:10: \"hears\", instead: is called, receives",
            "One.java:10: \"nobody\", instead: no client, no process, is free",
            "One.java:11: \"for good\", instead: permanently",
            "One.java:13: \"somebody\", instead: a client, another process, an operator");
  }

  @Test
  void matchesEachPhraseOfTheListAsWholeWords() throws Exception {
    Phrases phrases = Phrases.of(LIST);
    assertThat(phrases.all()).hasSizeGreaterThan(15).doesNotHaveDuplicates();
    for (Phrases.Phrase phrase : phrases.all()) {
      String first = phrase.text().substring(0, 1).toUpperCase(Locale.ROOT);
      String text = first + phrase.text().substring(1);
      String broken = text.replace(" ", "\n// ");
      assertThat(phrases.in("A.java", "// " + broken + ", it")).as(text).isNotEmpty();
      assertThat(phrases.in("A.java", "/** It: " + text + ". */")).as(text).isNotEmpty();
      assertThat(phrases.in("A.java", "x = \"It \" + \"" + text + "\";")).as(text).isNotEmpty();
      assertThat(phrases.in("A.java", "// x" + text + "x")).as(text).isEmpty();
      assertThat(phrases.in("A.java", text + "();")).as("code").isEmpty();
      assertThat(phrase.instead()).as(text).isNotBlank();
    }
    assertThat(phrases.in("A.java", "user = \"nobody\";")).as("a value").isEmpty();
  }

  private static List<Path> sources(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(file -> file.toString().endsWith(".java")).sorted().toList();
    }
  }
}
