package dev.sluice.console.store;

import dev.sluice.text.Names;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A reader's selection of a page: the rows of its table, and their order. Ordering and choosing is
 * done here, because the browser gets one screen of what may be thousands of rows.
 *
 * @param page the page
 * @param find text that a row must hold, in any case; empty for all rows
 * @param sort the field to sort by, then by name
 * @param down whether the highest comes first
 * @param from how many rows to leave out
 * @param rows how many rows to show at most
 * @param open the name of a row that is looked at by itself, whether it is found or not; empty for
 *     none
 */
public record View(
    Page page, String find, String sort, boolean down, int from, int rows, String open) {
  public static final int ROWS = 50;
  static final int MAX_ROWS = 200;

  /** The default view of a page. */
  public static View of(Page page) {
    return new View(page, "", page.sort, page.down, 0, ROWS, "");
  }

  /**
   * Reads a query.
   *
   * @param parameter finds a parameter by its name, null if there is none
   * @throws IllegalArgumentException if a parameter breaks its rule
   */
  public static View of(Page page, Function<String, @Nullable String> parameter) {
    String find = text("find", parameter.apply("find"));
    String open = text("open", parameter.apply("open"));
    String sort = parameter.apply("sort");
    if (sort != null && !sort.matches("[a-zA-Z]{1,20}")) {
      throw new IllegalArgumentException("sort must be the name of a field: " + Names.quoted(sort));
    }
    String down = parameter.apply("down");
    return new View(
        page,
        find.toLowerCase(Locale.ROOT).trim(),
        sort == null ? page.sort : sort,
        down == null ? sort == null && page.down : down.equals("true"),
        number("from", parameter.apply("from"), 0, 1_000_000, 0),
        number("rows", parameter.apply("rows"), 1, MAX_ROWS, ROWS),
        open);
  }

  private static String text(String what, @Nullable String text) {
    if (text != null && text.length() > 512) {
      throw new IllegalArgumentException(
          what + " must be at most 512 characters: " + text.length());
    }
    return text == null ? "" : text;
  }

  private static int number(
      String what, @Nullable String text, int least, int most, int otherwise) {
    if (text == null) {
      return otherwise;
    }
    if (text.matches("\\d{1,7}")) {
      int value = Integer.parseInt(text);
      if (value >= least && value <= most) {
        return value;
      }
    }
    throw new IllegalArgumentException(
        what + " must be " + least + " to " + most + ": " + Names.quoted(text));
  }

  /**
   * Adds the requested rows and their number to a view.
   *
   * @return how many were found
   */
  int put(Map<String, Object> json, String list, List<Map<String, Object>> all) {
    List<Map<String, Object>> found = all.stream().filter(this::holds).sorted(order()).toList();
    // a page that emptied meanwhile shows the last that is there
    int first = Math.min(from, Math.max(0, (found.size() - 1) / rows * rows));
    json.put(list, found.subList(first, Math.min(found.size(), first + rows)));
    json.put("all", all.size());
    json.put("found", found.size());
    json.put("from", first);
    if (!open.isEmpty()) {
      json.put("open", open);
      all.stream()
          .filter(row -> open.equals(row.get("name")))
          .findFirst()
          .ifPresent(row -> json.put("opened", row));
    }
    return found.size();
  }

  private boolean holds(Map<String, Object> row) {
    return find.isEmpty()
        || row.values().stream()
            .anyMatch(
                value ->
                    value instanceof String text && text.toLowerCase(Locale.ROOT).contains(find));
  }

  /** Rows without a value come last, in both directions. */
  private Comparator<Map<String, Object>> order() {
    Comparator<Object> values = View::compare;
    return Comparator.<Map<String, Object>, Object>comparing(
            row -> row.get(sort), Comparator.nullsLast(down ? values.reversed() : values))
        .thenComparing(row -> String.valueOf(row.get("name")));
  }

  private static int compare(Object a, Object b) {
    if (a instanceof Number one && b instanceof Number other) {
      return Double.compare(one.doubleValue(), other.doubleValue());
    }
    return String.valueOf(a).compareTo(String.valueOf(b));
  }
}
