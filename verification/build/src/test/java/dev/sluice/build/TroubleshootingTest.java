package dev.sluice.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.servers.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each message that the page of troubleshooting quotes occurs in the sources, word by word. */
class TroubleshootingTest {
  private static final List<String> PAGES =
      List.of("docs/troubleshooting.md", "docs/zh/troubleshooting.md");

  /** The first cell of a row that begins with a message. */
  private static final Pattern MESSAGES = Pattern.compile("(?m)^\\| (`.*?) \\|");

  private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

  /** A type or a word of the server beside a message, not a message. */
  private static final Pattern NO_MESSAGE = Pattern.compile("[A-Z]\\w+");

  private static final String VARIABLE = "…";
  private static final int MIN_LETTERS = 7;

  @Test
  void eachMessageOccursInTheSources() throws IOException {
    String sources = sources();
    for (String page : PAGES) {
      List<String> messages = messages(page);
      assertThat(messages).as(page).hasSizeGreaterThanOrEqualTo(35);
      assertThat(messages).as(page).allSatisfy(message -> assertThat(fixed(message)).isNotEmpty());
      assertThat(messages.stream().flatMap(message -> missing(message, sources)))
          .as("parts of messages on %s that no source has", page)
          .isEmpty();
    }
  }

  @Test
  void bothLanguagesQuoteTheSameMessages() throws IOException {
    assertThat(messages(PAGES.get(1))).isEqualTo(messages(PAGES.get(0)));
  }

  @Test
  void aMessageThatChangedIsNoticed() throws IOException {
    assertThat(missing("it wants a secret, and none was … given (NOAUTH)", sources()))
        .containsExactly("it wants a secret, and none was");
  }

  private static List<String> messages(String page) throws IOException {
    List<String> messages = new ArrayList<>();
    for (MatchResult row : MESSAGES.matcher(read(SourceTree.path(page))).results().toList()) {
      QUOTED
          .matcher(row.group(1))
          .results()
          .map(quoted -> quoted.group(1))
          .filter(text -> !NO_MESSAGE.matcher(text).matches())
          .forEach(messages::add);
    }
    return messages;
  }

  /** The parts between what varies, long enough to mean something. */
  private static List<String> fixed(String message) {
    return Stream.of(message.split(VARIABLE))
        .map(String::strip)
        .filter(part -> part.chars().filter(Character::isLetter).count() >= MIN_LETTERS)
        .toList();
  }

  private static Stream<String> missing(String message, String sources) {
    return fixed(message).stream().filter(part -> !sources.contains(part));
  }

  /** All code that is not a test, with the pieces of each text put together. */
  private static String sources() throws IOException {
    StringBuilder all = new StringBuilder();
    for (String module : SourceTree.modules()) {
      Path folder = SourceTree.path(module).resolve("src/main/java");
      if (Files.isDirectory(folder)) {
        try (Stream<Path> files = Files.walk(folder)) {
          for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
            all.append(read(file));
          }
        }
      }
    }
    return all.toString().replaceAll("\"\\s*\\+\\s*\"", "");
  }

  private static String read(Path file) throws IOException {
    return Files.readString(file);
  }
}
