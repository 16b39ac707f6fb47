package dev.sluice.cli.limit;

import dev.sluice.cli.terminal.Text;
import dev.sluice.limit.Limit;
import dev.sluice.limit.PolicyEntry;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tools.jackson.jr.ob.JSON;

/**
 * Formats entries of the policy book as lines and as JSON. The names of the JSON fields are a
 * promise.
 */
final class PolicyView {
  private PolicyView() {}

  /** One line for the policy, and one for each key or plan with overridden limits. */
  static String line(PolicyEntry entry) {
    StringBuilder out = new StringBuilder(Text.visible(entry.limiter()));
    out.append(" version ").append(entry.version());
    out.append(": ").append(policy(entry.limits()));
    out.append("; ").append(entry.writtenAt().truncatedTo(ChronoUnit.SECONDS));
    out.append(" by ").append(Text.visible(entry.author()));
    if (!entry.reason().isEmpty()) {
      out.append(": ").append(Text.visible(entry.reason()));
    }
    others(out, "key", entry.overrides());
    others(out, "plan", entry.plans());
    return out.toString();
  }

  private static void others(StringBuilder out, String what, Map<String, List<Limit>> tiers) {
    new TreeMap<>(tiers)
        .forEach(
            (name, limits) ->
                out.append(System.lineSeparator())
                    .append("  ")
                    .append(what)
                    .append(' ')
                    .append(Text.visible(name))
                    .append(": ")
                    .append(policy(limits)));
  }

  private static String policy(List<Limit> limits) {
    return limits.stream().map(Limit::toString).collect(Collectors.joining(" + "));
  }

  static String json(List<PolicyEntry> entries) {
    return Text.visibleJson(JSON.std.asString(entries.stream().map(PolicyView::fields).toList()));
  }

  private static Map<String, Object> fields(PolicyEntry entry) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", entry.limiter());
    fields.put("version", entry.version());
    fields.put("policy", texts(entry.limits()));
    fields.put("keys", texts(entry.overrides()));
    fields.put("plans", texts(entry.plans()));
    fields.put("author", entry.author());
    fields.put("reason", entry.reason());
    fields.put("writtenAt", entry.writtenAt().toString());
    return fields;
  }

  private static Map<String, Object> texts(Map<String, List<Limit>> tiers) {
    Map<String, Object> texts = new TreeMap<>();
    tiers.forEach((name, limits) -> texts.put(name, texts(limits)));
    return texts;
  }

  private static List<String> texts(List<Limit> limits) {
    return limits.stream().map(Limit::toString).toList();
  }
}
