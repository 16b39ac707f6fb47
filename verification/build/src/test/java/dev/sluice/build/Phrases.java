package dev.sluice.build;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Phrases that prose must not use, looked for in the comments and string literals of Java sources,
 * and words that identifiers must not contain. Lines of one comment, and literals that are joined
 * by a plus, are read as one text. A literal of one word is a value, such as a name, and not prose.
 */
final class Phrases {
  private static final Pattern LINE_OF_BLOCK = Pattern.compile("\\n\\s*\\*(?!/)");
  private static final Pattern PLUS = Pattern.compile("\\s*\\+\\s*");

  private final List<Phrase> phrases;

  private Phrases(List<Phrase> phrases) {
    this.phrases = phrases;
  }

  /**
   * A phrase.
   *
   * @param text its words, in lowercase letters
   * @param instead what to write instead
   * @param pattern finds it
   */
  record Phrase(String text, String instead, Pattern pattern) {
    /**
     * A word of an identifier: {@code ear} in {@code pgEars} and PG_EAR, not in {@code nearTier}.
     */
    static Phrase ofIdentifier(String line) {
      String[] sides = line.split(" = ", 2);
      String word = sides[0];
      String capital = word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
      return new Phrase(
          word,
          sides[1],
          Pattern.compile(
              "\\w*(?:(?<![A-Za-z])%s|%s)s?(?![a-z])\\w*|\\w*(?<![A-Za-z])%sS?(?![A-Za-z])\\w*"
                  .formatted(word, capital, word.toUpperCase(Locale.ROOT))));
    }

    static Phrase of(String line) {
      String[] sides = line.split(" = ", 2);
      String words =
          Arrays.stream(sides[0].split(" "))
              .map(Pattern::quote)
              .collect(Collectors.joining("\\s+"));
      return new Phrase(
          sides[0], sides[1], Pattern.compile("\\b" + words + "\\b", Pattern.CASE_INSENSITIVE));
    }
  }

  /** Reads a list: one phrase a line, an equals sign, and what to write instead. */
  static Phrases of(Path list) throws IOException {
    return of(list, Phrase::of);
  }

  /** Reads a list of words for {@link #inIdentifiers}: one word a line, as for phrases. */
  static Phrases ofIdentifiers(Path list) throws IOException {
    return of(list, Phrase::ofIdentifier);
  }

  private static Phrases of(Path list, Function<String, Phrase> phrase) throws IOException {
    return new Phrases(
        Files.readAllLines(list).stream()
            .filter(line -> !line.isBlank() && !line.startsWith("#"))
            .map(phrase)
            .toList());
  }

  List<Phrase> all() {
    return phrases;
  }

  /**
   * {@return the phrases of a source, each with its line and what to write instead}
   *
   * @param name of the file
   * @param source its text
   */
  List<String> in(String name, String source) {
    List<String> found = new ArrayList<>();
    for (Text text : texts(source)) {
      for (Phrase phrase : phrases) {
        if (text.isProse() && phrase.pattern().matcher(text.words).find()) {
          found.add(
              "%s:%d: \"%s\", instead: %s"
                  .formatted(name, text.line, phrase.text(), phrase.instead()));
        }
      }
    }
    return found;
  }

  /**
   * {@return the identifiers of a source that contain one of the words, each once}
   *
   * @param name of the file
   * @param source its text
   */
  Set<String> inIdentifiers(String name, String source) {
    String code = SourceCircles.NO_CODE.matcher(source).replaceAll(" ");
    Set<String> found = new TreeSet<>();
    for (Phrase word : phrases) {
      word.pattern()
          .matcher(code)
          .results()
          .map(each -> "%s: %s, instead: %s".formatted(name, each.group(), word.instead()))
          .forEach(found::add);
    }
    return found;
  }

  /** One comment or message, and the line where it begins. */
  private static final class Text {
    final StringBuilder words = new StringBuilder();
    final char kind;
    final int line;
    int end;

    Text(char kind, int line) {
      this.kind = kind;
      this.line = line;
    }

    boolean isProse() {
      return kind != '"' || words.indexOf(" ") >= 0;
    }

    /** Whether a literal or a line comment goes on with the next one of its kind. */
    boolean goesOn(char next, String between) {
      return next == kind
          && (kind == '"' && PLUS.matcher(between).matches() || kind == '/' && between.isBlank());
    }
  }

  private static List<Text> texts(String source) {
    List<Text> texts = new ArrayList<>();
    Matcher matcher = SourceCircles.NO_CODE.matcher(source);
    Text last = null;
    while (matcher.find()) {
      String token = matcher.group();
      char kind = token.startsWith("/*") ? '*' : token.charAt(0);
      if (kind == '\'') {
        continue;
      }
      if (last == null || !last.goesOn(kind, source.substring(last.end, matcher.start()))) {
        long lineEnds = source.substring(0, matcher.start()).chars().filter(c -> c == '\n').count();
        last = new Text(kind, (int) lineEnds + 1);
        texts.add(last);
      }
      last.words.append(words(kind, token));
      last.end = matcher.end();
    }
    return texts;
  }

  private static String words(char kind, String token) {
    return switch (kind) {
      case '"' -> token.replaceAll("^\"+|\"+$", "").replace("\\n", " ");
      case '/' -> token.substring(2) + " ";
      default -> LINE_OF_BLOCK.matcher(token).replaceAll(" ");
    };
  }
}
