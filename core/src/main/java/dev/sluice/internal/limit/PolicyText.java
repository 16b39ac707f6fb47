package dev.sluice.internal.limit;

import dev.sluice.ForeignDataException;
import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Limit;
import dev.sluice.limit.PolicyEntry;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.text.Names;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The stored policies of one limiter: a line with the form, then the entries, newest first. Each
 * line is a word and a value, in which {@code \n}, {@code \r} and {@code \\} are escaped. The
 * format is documented in stored-formats.md.
 */
final class PolicyText {
  private static final String FORM = "sluice-policy ";
  private static final int NEWEST_FORM = 1;

  private PolicyText() {}

  /** As many entries as fit, newest first; at least one. */
  static String write(List<PolicyEntry> entries, int mostEntries, int mostBytes) {
    StringBuilder out = new StringBuilder(FORM).append(NEWEST_FORM).append('\n');
    for (int i = 0; i < Math.min(entries.size(), mostEntries); i++) {
      String entry = text(entries.get(i));
      if (i > 0 && bytes(out) + bytes(entry) > mostBytes) {
        break;
      }
      out.append(entry);
    }
    return out.toString();
  }

  private static int bytes(CharSequence text) {
    return text.toString().getBytes(StandardCharsets.UTF_8).length;
  }

  private static String text(PolicyEntry entry) {
    StringBuilder out = new StringBuilder();
    line(out, "version", Integer.toString(entry.version()));
    line(out, "at", Long.toString(entry.writtenAt().toEpochMilli()));
    line(out, "author", entry.author());
    line(out, "reason", entry.reason());
    entry.limits().forEach(limit -> line(out, "limit", limit.toString()));
    others(out, "key", entry.overrides());
    others(out, "plan", entry.plans());
    return out.toString();
  }

  private static void others(StringBuilder out, String word, Map<String, List<Limit>> tiers) {
    tiers.forEach(
        (name, limits) -> {
          line(out, word, name);
          limits.forEach(limit -> line(out, "limit", limit.toString()));
        });
  }

  private static void line(StringBuilder out, String word, String value) {
    out.append(word).append(' ');
    for (char c : value.toCharArray()) {
      switch (c) {
        case '\\' -> out.append("\\\\");
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        default -> out.append(c);
      }
    }
    out.append('\n');
  }

  /**
   * Reads the format of {@link #write}.
   *
   * @throws ForeignDataException if it did not, or if a newer version of Sluice did
   */
  static List<PolicyEntry> read(String limiter, String text) {
    try {
      Iterator<String> lines = text.lines().iterator();
      String form = lines.hasNext() ? lines.next() : "";
      if (!form.startsWith(FORM)) {
        throw new IllegalArgumentException("a text that Sluice did not write");
      }
      if (Integer.parseInt(form.substring(FORM.length())) != NEWEST_FORM) {
        throw new IllegalArgumentException(
            "form " + form.substring(FORM.length()) + ", and this version reads " + NEWEST_FORM);
      }
      List<PolicyEntry> entries = new ArrayList<>();
      Reader entry = null;
      while (lines.hasNext()) {
        String line = lines.next();
        int blank = line.indexOf(' ');
        String word = line.substring(0, Math.max(0, blank));
        String value = plain(line.substring(blank + 1));
        if (word.equals("version")) {
          if (entry != null) {
            entries.add(entry.entry(limiter));
          }
          entry = new Reader(Integer.parseInt(value));
        } else if (entry == null) {
          throw new IllegalArgumentException("a line before the first version: " + word);
        } else {
          entry.add(word, value);
        }
      }
      if (entry == null) {
        throw new IllegalArgumentException("no entry");
      }
      entries.add(entry.entry(limiter));
      return entries;
    } catch (IllegalArgumentException e) {
      throw new ForeignDataException(
          "the policy of limiter "
              + Names.quoted(limiter)
              + " in the policy book holds "
              + visible(String.valueOf(e.getMessage())),
          e);
    }
  }

  /** A text of another client, which otherwise could forge a line of a log. */
  static String visible(String text) {
    String quoted = Names.quoted(text);
    return quoted.substring(1, quoted.length() - 1);
  }

  private static String plain(String escaped) {
    StringBuilder out = new StringBuilder(escaped.length());
    for (int i = 0; i < escaped.length(); i++) {
      char c = escaped.charAt(i);
      if (c == '\\' && i + 1 < escaped.length()) {
        char next = escaped.charAt(++i);
        c = next == 'n' ? '\n' : next == 'r' ? '\r' : next;
      }
      out.append(c);
    }
    return out.toString();
  }

  /** An entry, line by line. */
  private static final class Reader {
    private final int version;
    private Instant at = Instant.EPOCH;
    private String author = "";
    private String reason = "";
    private final List<Limit> limits = new ArrayList<>();
    private final Map<String, List<Limit>> overrides = new LinkedHashMap<>();
    private final Map<String, List<Limit>> plans = new LinkedHashMap<>();
    private List<Limit> present = limits;

    Reader(int version) {
      this.version = version;
    }

    void add(String word, String value) {
      switch (word) {
        case "at" -> at = Instant.ofEpochMilli(Long.parseLong(value));
        case "author" -> author = value;
        case "reason" -> reason = value;
        case "key" -> present = overrides.computeIfAbsent(value, key -> new ArrayList<>());
        case "plan" -> present = plans.computeIfAbsent(value, plan -> new ArrayList<>());
        case "limit" -> present.add(Limit.parse(value));
        default -> throw new IllegalArgumentException("an unknown line: " + word);
      }
    }

    PolicyEntry entry(String limiter) {
      RateLimiterOptions checked =
          RateLimiterOptions.of(limits)
              .overrides(overrides)
              .plans(plans)
              .version(version, CarryOver.KEEP);
      return new PolicyEntry(
          limiter,
          version,
          checked.limits(),
          checked.overrides(),
          checked.plans(),
          author,
          reason,
          at);
    }
  }
}
