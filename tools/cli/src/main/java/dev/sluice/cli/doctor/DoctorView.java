package dev.sluice.cli.doctor;

import dev.sluice.Finding;
import dev.sluice.Finding.Severity;
import dev.sluice.cli.terminal.Text;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.jr.ob.JSON;

/** Formats findings as lines and as JSON. The names of the JSON fields are a promise. */
final class DoctorView {
  private static final String HEAD = "%s %s  %s%n";
  private static final String REST = "         %-5s %s%n";

  private DoctorView() {}

  static @Nullable Severity worst(List<Finding> findings) {
    return findings.stream().map(Finding::severity).max(Severity::compareTo).orElse(null);
  }

  /**
   * The findings, the worst first.
   *
   * @param colour whether errors are red and warnings yellow
   */
  static String lines(List<String> stores, List<Finding> findings, boolean colour) {
    StringBuilder out = new StringBuilder();
    for (Finding finding : findings) {
      out.append(
          String.format(
              HEAD, mark(finding.severity(), colour), finding.id(), Text.visible(finding.where())));
      out.append(String.format(REST, "what", Text.visible(finding.what())));
      out.append(String.format(REST, "risk", Text.visible(finding.risk())));
      out.append(String.format(REST, "fix", Text.visible(finding.fix())));
    }
    String summary =
        findings.isEmpty()
            ? "nothing found"
            : count(findings, Severity.ERROR, "error")
                + ", "
                + count(findings, Severity.WARNING, "warning")
                + ", "
                + count(findings, Severity.INFO, "info");
    return out.append(String.format("%s; examined %s%n", summary, shown(stores))).toString();
  }

  /** Errors are distinguishable without colours, too. */
  private static String mark(Severity severity, boolean colour) {
    String word = severity == Severity.ERROR ? "ERROR" : word(severity);
    String padded = String.format("%-8s", word);
    String code = severity == Severity.ERROR ? "1;31" : severity == Severity.WARNING ? "33" : "";
    return colour && !code.isEmpty() ? "\u001b[" + code + "m" + padded + "\u001b[0m" : padded;
  }

  private static String shown(List<String> stores) {
    return Text.visible(String.join(", ", stores));
  }

  private static String count(List<Finding> findings, Severity severity, String word) {
    long many = findings.stream().filter(finding -> finding.severity() == severity).count();
    return many + " " + word + (many == 1 ? "" : "s");
  }

  private static String word(@Nullable Severity severity) {
    return severity == null ? "none" : severity.name().toLowerCase(Locale.ROOT);
  }

  static String json(List<String> stores, List<Finding> findings) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("stores", stores);
    all.put("worst", word(worst(findings)));
    all.put("findings", findings.stream().map(DoctorView::fields).toList());
    return String.format("%s%n", Text.visibleJson(JSON.std.asString(all)));
  }

  private static Map<String, Object> fields(Finding finding) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("severity", word(finding.severity()));
    fields.put("id", finding.id());
    fields.put("where", finding.where());
    fields.put("what", finding.what());
    fields.put("risk", finding.risk());
    fields.put("fix", finding.fix());
    return fields;
  }
}
