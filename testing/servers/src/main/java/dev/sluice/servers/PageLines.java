package dev.sluice.servers;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The lines of a Markdown page: one sentence on each line of prose, no line of prose and no cell of
 * a table too long. A line that is one piece of code cannot be broken. {@link #reflowed} breaks
 * lines where the rules are not kept. Blocks of code, headings, HTML and comments stay as they are.
 */
public final class PageLines {
  static final int MAX_LINE = 160;
  static final int MAX_CELL_WORDS = 60;

  private static final Pattern FENCE = Pattern.compile("^ *(?:> *)?```.*");
  private static final Pattern NO_PROSE = Pattern.compile("^\\s*(?:#|\\||<|\\[[^\\]]+\\]:|!\\[).*");
  private static final Pattern ITEM = Pattern.compile("^(\\s*(?:[-*] |\\d+[.] |> )?)(.*)$");
  private static final Pattern WHOLE =
      Pattern.compile("`+[^`]*`+|!?\\[[^\\]]*\\]\\([^)]*\\)|\\*\\*[^*]+\\*\\*|\\*[^*\\s][^*]*\\*");

  /** The end of a sentence, and the start of the next one; abbreviations are none. */
  private static final Pattern END =
      Pattern.compile(
          "(?<!\\b(?:e\\.g|i\\.e|vs|etc|No|cf))(?<=[a-z0-9)\\]\"'*%X]|[A-Z]{2})[.!?][)\"”*]* +(?=[A-Z(\"“*X\\[])"
              + "|[。！？][）”*]*(?= *[^\\s）”。！？*])");

  private static final Pattern WORD =
      Pattern.compile("[\\p{IsHan}]|[^\\s\\p{IsHan}\\p{IsPunctuation}]\\S*");

  private PageLines() {}

  /** {@return what breaks a rule, each with its line} */
  public static List<String> faults(String page) {
    List<String> found = new ArrayList<>();
    String[] lines = page.split("\n", -1);
    boolean code = false;
    for (int i = 0; i < lines.length; i++) {
      String line = lines[i];
      code ^= FENCE.matcher(line).matches();
      if (code) {
        continue;
      }
      if (line.startsWith("|")) {
        for (String cell : line.split("(?<!\\\\)[|]")) {
          long words = words(cell);
          if (words > MAX_CELL_WORDS) {
            found.add((i + 1) + ": a cell of " + words + " words");
          }
        }
      } else if (!NO_PROSE.matcher(line).matches()) {
        Matcher item = ITEM.matcher(line);
        String text = item.matches() ? item.group(2) : line;
        if (length(line) > MAX_LINE && wrapped(text, MAX_LINE - 10).size() > 1) {
          found.add((i + 1) + ": " + length(line) + " characters");
        }
        if (END.matcher(masked(text)).find()) {
          found.add((i + 1) + ": two sentences");
        }
      }
    }
    return found;
  }

  /** Chinese counts five characters as three words. */
  private static long words(String cell) {
    long[] count = new long[2];
    WORD.matcher(cell)
        .results()
        .forEach(word -> count[Character.isIdeographic(word.group().codePointAt(0)) ? 1 : 0]++);
    return count[0] + count[1] * 3 / 5;
  }

  private static int length(String line) {
    return line.codePointCount(0, line.length());
  }

  /** Hides what must stay whole and may contain the end of a sentence: code, links, bold text. */
  private static String masked(String text) {
    return WHOLE
        .matcher(text)
        .replaceAll(
            found -> {
              String part = found.group();
              boolean bold = part.startsWith("**");
              boolean ends = bold && part.matches(".*[.!?。]\\*\\*");
              String middle = "X".repeat(Math.max(0, part.length() - 3));
              return ends
                  ? middle + Matcher.quoteReplacement(part.substring(part.length() - 3))
                  : "X".repeat(part.length());
            });
  }

  /** {@return the page with its prose broken into lines by the rules} */
  public static String reflowed(String page) {
    List<String> out = new ArrayList<>();
    List<String> block = new ArrayList<>();
    boolean code = false;
    for (String line : page.split("\n", -1)) {
      boolean fence = FENCE.matcher(line).matches();
      code ^= fence;
      boolean prose = !code && !fence && !line.isBlank() && !NO_PROSE.matcher(line).matches();
      boolean begins = line.matches("^\\s*(?:[-*] |\\d+[.] |> ).*");
      if (!block.isEmpty() && (!prose || begins)) {
        out.addAll(broken(block));
        block.clear();
      }
      if (prose) {
        block.add(line);
      } else {
        out.add(line);
      }
    }
    out.addAll(broken(block));
    return String.join("\n", out);
  }

  private static List<String> broken(List<String> block) {
    if (block.isEmpty() || faults(String.join("\n", block)).isEmpty()) {
      return List.copyOf(block);
    }
    Matcher item = ITEM.matcher(block.get(0));
    if (!item.matches() || block.stream().anyMatch(line -> line.endsWith("  "))) {
      return List.copyOf(block);
    }
    String first = item.group(1);
    String rest = first.contains(">") ? first : " ".repeat(first.length());
    StringBuilder text = new StringBuilder(item.group(2));
    for (String line : block.subList(1, block.size())) {
      String more = line.strip();
      boolean joined = isWide(text.codePointBefore(text.length())) && isWide(more.codePointAt(0));
      text.append(joined ? "" : " ").append(more);
    }
    List<String> lines = new ArrayList<>();
    for (String sentence : sentences(text.toString())) {
      for (String line : wrapped(sentence, MAX_LINE - first.length())) {
        lines.add((lines.isEmpty() ? first : rest) + line);
      }
    }
    return lines;
  }

  private static List<String> sentences(String text) {
    List<String> sentences = new ArrayList<>();
    Matcher end = END.matcher(masked(text));
    int from = 0;
    while (end.find()) {
      sentences.add(text.substring(from, end.end()).strip());
      from = end.end();
    }
    sentences.add(text.substring(from).strip());
    return sentences;
  }

  /** Breaks a sentence behind a comma, a colon or a semicolon, else between words. */
  private static List<String> wrapped(String sentence, int most) {
    List<String> lines = new ArrayList<>();
    String left = sentence;
    while (length(left) > most) {
      String hidden = masked(left).substring(0, most);
      int at = Math.max(hidden.lastIndexOf(", "), hidden.lastIndexOf("; "));
      at = Math.max(at, hidden.lastIndexOf(": ")) + 1;
      for (String mark : List.of("，", "；", "：", "、")) {
        at = Math.max(at, hidden.lastIndexOf(mark) + 1);
      }
      if (at < most / 3) {
        at = hidden.lastIndexOf(' ');
      }
      if (at <= 0) {
        break;
      }
      lines.add(left.substring(0, at).strip());
      left = left.substring(at).strip();
    }
    lines.add(left);
    return lines;
  }

  private static boolean isWide(int character) {
    return Character.isIdeographic(character) || "，。；：！？（）、“”".indexOf(character) >= 0;
  }
}
