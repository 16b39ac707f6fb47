package dev.sluice.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.servers.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Comments and messages of main code use none of the phrases of phrases.txt, and its identifiers
 * none of the words of words.txt.
 */
class PhrasesTest {
  private static final Path LIST =
      SourceTree.path("verification/build/src/test/resources/phrases.txt");
  private static final Path WORDS =
      SourceTree.path("verification/build/src/test/resources/words.txt");

  private static final Pattern BOUND =
      Pattern.compile("\\b((?:MOST|LONGEST|SHORTEST|LEAST|FEWEST|USUAL)(?:_[A-Z0-9_]+)?) =");

  @Test
  void sourcesUseNoneOfThePhrases() throws Exception {
    assertThat(inMainCode(Phrases.of(LIST)::in))
        .as("rewrite the sentence, do not swap words")
        .isEmpty();
  }

  @Test
  void identifiersContainNoneOfTheWords() throws Exception {
    assertThat(inMainCode(Phrases.ofIdentifiers(WORDS)::inIdentifiers)).isEmpty();
  }

  @Test
  void constantsOfBoundsBeginWithMaxMinOrDefault() throws Exception {
    assertThat(inMainCode(PhrasesTest::bounds)).isEmpty();
    assertThat(bounds("A.java", "static final int LONGEST_WAIT = 1, MOST = 2, MAX_MOST = 3;"))
        .containsExactly("A.java: LONGEST_WAIT", "A.java: MOST");
  }

  private static List<String> bounds(String name, String source) {
    return BOUND.matcher(source).results().map(found -> name + ": " + found.group(1)).toList();
  }

  @Test
  void findsAWordInAnyKindOfIdentifier() throws Exception {
    Phrases words = Phrases.ofIdentifiers(WORDS);
    String source =
        """
        class PgEar {
          /** The tally of ears. */
          private static final int MAX_EARS = 2;
          private int nearTier; // ear
          String linear(int year) {
            return "ear" + earCount;
          }
          void tellEach(List<PgEar> storytellers) {}
        }
        """;
    assertThat(words.inIdentifiers("A.java", source))
        .containsExactly(
            "A.java: MAX_EARS, instead: listener",
            "A.java: PgEar, instead: listener",
            "A.java: earCount, instead: listener",
            "A.java: tellEach, instead: notify, send, report");
  }

  @Test
  void findsEachWordOfTheList() throws Exception {
    Phrases words = Phrases.ofIdentifiers(WORDS);
    assertThat(words.all()).hasSizeBetween(15, 30).doesNotHaveDuplicates();
    for (Phrases.Phrase each : words.all()) {
      String word = each.text();
      String capital = word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
      for (String name : List.of(word, capital, word + "Of", "of" + capital + "s")) {
        assertThat(words.inIdentifiers("A.java", "int " + name + ";")).as(name).hasSize(1);
      }
      assertThat(words.inIdentifiers("A.java", "int of" + word + ";")).as(word).isEmpty();
      assertThat(each.instead()).as(word).isNotBlank();
    }
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

  private static List<String> inMainCode(BiFunction<String, String, Collection<String>> scan)
      throws IOException {
    List<String> found = new ArrayList<>();
    int files = 0;
    for (String module : SourceTree.modules()) {
      Path sources = SourceTree.path(module + "/src/main/java");
      for (Path file : Files.isDirectory(sources) ? sources(sources) : List.<Path>of()) {
        String name = module + "/" + sources.relativize(file).toString().replace('\\', '/');
        found.addAll(scan.apply(name, Files.readString(file)));
        files++;
      }
    }
    assertThat(files).isGreaterThan(1_000);
    return found;
  }

  private static List<Path> sources(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(file -> file.toString().endsWith(".java")).sorted().toList();
    }
  }
}
