package dev.sluice.cli.store;

import dev.sluice.cli.terminal.Text;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.jr.ob.JSON;

/** Formats a store as lines and as JSON. The names of the JSON fields are a promise. */
public final class StoreReport {
  private StoreReport() {}

  public static String lines(String store, List<String> notes) {
    StringBuilder out = new StringBuilder();
    out.append(String.format("%-11s %s%n", "store", Text.visible(store)));
    notes.forEach(note -> out.append(String.format("%-11s %s%n", "note", Text.visible(note))));
    return out.toString();
  }

  public static String json(String store, List<String> notes) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("store", store);
    fields.put("notes", notes);
    return String.format("%s%n", Text.visibleJson(JSON.std.asString(fields)));
  }
}
