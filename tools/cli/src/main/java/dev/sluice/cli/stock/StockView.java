package dev.sluice.cli.stock;

import dev.sluice.cli.terminal.DurationText;
import dev.sluice.cli.terminal.Text;
import dev.sluice.inventory.DeadLetter;
import dev.sluice.inventory.InventoryInfo;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import tools.jackson.jr.ob.JSON;

/** Formats stocks as lines and as JSON. The names of the JSON fields are a promise. */
final class StockView {
  private StockView() {}

  static String table(List<String> names, List<InventoryInfo> figures) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("SALE", "OPEN", "TOTAL", "LEFT", "QUEUED", "HELD", "FINAL", "ASIDE", "NAME"));
    for (int i = 0; i < names.size(); i++) {
      InventoryInfo each = figures.get(i);
      rows.add(
          List.of(
              "" + each.epoch(),
              each.open() ? "yes" : "no",
              "" + each.total(),
              "" + each.left(),
              "" + each.queued(),
              "" + each.held(),
              "" + each.confirmed(),
              "" + each.deadLetters(),
              Text.visible(names.get(i))));
    }
    return table(rows);
  }

  static String claims(List<DeadLetter> claims) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("CLAIM", "UNITS", "CLAIMANT", "REASON"));
    for (DeadLetter each : claims) {
      rows.add(
          List.of(
              "" + each.claim().id(),
              "" + each.claim().quantity(),
              Text.visible(each.claim().claimant()),
              Text.visible(each.reason())));
    }
    return table(rows);
  }

  /** Aligns columns to their content; the last one ends its line. */
  private static String table(List<? extends List<String>> rows) {
    StringBuilder out = new StringBuilder();
    int last = rows.get(0).size() - 1;
    int[] widths = new int[last];
    for (List<String> row : rows) {
      for (int i = 0; i < last; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    for (List<String> row : rows) {
      for (int i = 0; i < last; i++) {
        out.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + 2));
      }
      out.append(String.format("%s%n", row.get(last)));
    }
    return out.toString();
  }

  static String claimsJson(List<DeadLetter> claims) {
    return write(claims.stream().map(StockView::fields).toList());
  }

  private static Map<String, Object> fields(DeadLetter aside) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("claimant", aside.claim().claimant());
    fields.put("claim", aside.claim().id());
    fields.put("quantity", aside.claim().quantity());
    fields.put("reason", aside.reason());
    return fields;
  }

  static String lines(String name, InventoryInfo figures) {
    StringBuilder out = new StringBuilder();
    line(out, "name", Text.visible(name));
    line(out, "sale", figures.epoch() + (figures.open() ? ", open" : ", closed"));
    line(out, "left", figures.left() + " of " + figures.total());
    line(
        out,
        "sold",
        figures.queued()
            + " queued, "
            + figures.held()
            + " held, "
            + figures.confirmed()
            + " final, "
            + figures.deadLetters()
            + " dead letters");
    line(out, "claims", figures.claims() + ", of them " + figures.returned() + " returned");
    line(
        out,
        "drain",
        figures.waiting() == 0
            ? "nothing waits"
            : figures.waiting() + " wait, the oldest for " + DurationText.brief(figures.lag()));
    return out.toString();
  }

  private static void line(StringBuilder out, String label, String value) {
    out.append(String.format("%-11s %s%n", label, value));
  }

  static String json(String name, InventoryInfo figures) {
    return write(fields(name, figures));
  }

  static String json(List<String> names, List<InventoryInfo> figures) {
    return write(
        IntStream.range(0, names.size())
            .mapToObj(i -> fields(names.get(i), figures.get(i)))
            .toList());
  }

  private static Map<String, Object> fields(String name, InventoryInfo figures) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", name);
    fields.put("epoch", figures.epoch());
    fields.put("open", figures.open());
    fields.put("total", figures.total());
    fields.put("left", figures.left());
    fields.put("queued", figures.queued());
    fields.put("held", figures.held());
    fields.put("confirmed", figures.confirmed());
    fields.put("deadLetters", figures.deadLetters());
    fields.put("claims", figures.claims());
    fields.put("returned", figures.returned());
    fields.put("waiting", figures.waiting());
    fields.put("lagMillis", figures.lag().toMillis());
    return fields;
  }

  private static String write(Object value) {
    return Text.visibleJson(JSON.std.asString(value));
  }
}
