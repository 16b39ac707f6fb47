package dev.sluice.cli;

import dev.sluice.inventory.InventoryFigures;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import tools.jackson.jr.ob.JSON;

/** Figures of stocks as lines and as JSON. The names of the JSON fields are a promise. */
final class StockView {
  private StockView() {}

  static String table(List<String> names, List<InventoryFigures> figures) {
    StringBuilder out = new StringBuilder();
    row(out, "SALE", "OPEN", "TOTAL", "LEFT", "QUEUED", "HELD", "FINAL", "ASIDE", "NAME");
    for (int i = 0; i < names.size(); i++) {
      InventoryFigures each = figures.get(i);
      row(
          out,
          each.epoch(),
          each.open() ? "yes" : "no",
          each.total(),
          each.left(),
          each.queued(),
          each.held(),
          each.confirmed(),
          each.setAside(),
          Text.visible(names.get(i)));
    }
    return out.toString();
  }

  private static void row(StringBuilder out, Object... cells) {
    out.append(String.format("%-10s %-4s %10s %10s %8s %8s %8s %6s  %s%n", cells));
  }

  static String lines(String name, InventoryFigures figures) {
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
            + figures.setAside()
            + " set aside");
    line(out, "claims", figures.claims() + ", of them " + figures.returned() + " given back");
    line(
        out,
        "drain",
        figures.waiting() == 0
            ? "nothing waits"
            : figures.waiting() + " wait, the oldest for " + Durations.brief(figures.lag()));
    return out.toString();
  }

  private static void line(StringBuilder out, String label, String value) {
    out.append(String.format("%-11s %s%n", label, value));
  }

  static String json(String name, InventoryFigures figures) {
    return write(fields(name, figures));
  }

  static String json(List<String> names, List<InventoryFigures> figures) {
    return write(
        IntStream.range(0, names.size())
            .mapToObj(i -> fields(names.get(i), figures.get(i)))
            .toList());
  }

  private static Map<String, Object> fields(String name, InventoryFigures figures) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", name);
    fields.put("epoch", figures.epoch());
    fields.put("open", figures.open());
    fields.put("total", figures.total());
    fields.put("left", figures.left());
    fields.put("queued", figures.queued());
    fields.put("held", figures.held());
    fields.put("confirmed", figures.confirmed());
    fields.put("setAside", figures.setAside());
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
