package dev.sluice.cli.limit;

import dev.sluice.cli.terminal.DurationText;
import dev.sluice.cli.terminal.Text;
import dev.sluice.replay.Replay;
import dev.sluice.replay.ReplayReport;
import dev.sluice.replay.ReplayReport.Result;
import dev.sluice.replay.ReplayReport.Waits;
import dev.sluice.replay.ReplayReport.Worst;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.jr.ob.JSON;

/** Formats a replay as lines and as JSON. The names of the JSON fields are a promise. */
final class ReplayView {
  private ReplayView() {}

  /** Formats "sluice: 12.4M lines, 1.9 GB, 61 %, 2.1M lines/s". */
  static String progress(Replay replay, long size, long nanos) {
    long lines = replay.lines();
    String share = size > 0 ? ", " + 100 * replay.bytes() / size + " %" : "";
    return "sluice: "
        + Text.brief(lines)
        + " lines, "
        + Text.brief(replay.bytes())
        + "B"
        + share
        + ", "
        + Text.brief((long) (lines / (nanos / 1e9)))
        + " lines/s";
  }

  static String lines(ReplayReport report, String key) {
    StringBuilder out = new StringBuilder();
    String span = report.requests() == 0 ? "" : ", " + report.from() + " to " + report.to();
    line(out, "log", counted(report.lines()) + span);
    String about = report.keysExact() ? "" : "about ";
    line(out, "keys", about + report.keys() + ", by " + Text.visible(key));
    line(out, "gini asked", format("%.3f", report.giniOfAsked()));
    if (report.malformed() > 0) {
      line(out, "not read", counted(report.malformed()));
      for (ReplayReport.BadLine bad : report.examples()) {
        line(out, "  line " + bad.number(), bad.problem() + ": " + Text.visible(bad.text()));
      }
    }
    if (report.withoutKey() > 0) {
      line(out, "no key", counted(report.withoutKey()) + ", left out");
    }
    if (report.outOfOrder() > 0) {
      line(
          out,
          "out of order",
          counted(report.outOfOrder())
              + ", by up to "
              + DurationText.brief(report.latest())
              + "; taken at the time before");
    }
    for (Result result : report.policies()) {
      out.append(String.format("%n"));
      lines(out, result);
    }
    return out.toString();
  }

  private static String counted(long lines) {
    return lines + (lines == 1 ? " line" : " lines");
  }

  private static void lines(StringBuilder out, Result result) {
    line(out, "policy", result.policy());
    line(out, "admitted", share(result.admitted(), result));
    line(out, "refused", share(result.refused(), result));
    for (Worst worst : result.worst()) {
      line(out, "worst window", worst(worst));
    }
    line(out, "never refused", format("%.2f %% of the keys", 100 * result.neverRefused()));
    line(out, "gini admitted", format("%.3f", result.giniOfAdmitted()));
    if (!result.mostRefused().isEmpty()) {
      line(
          out,
          "most refused",
          result.mostRefused().stream()
              .map(key -> Text.visible(key.key()) + " " + key.count() + less(key.tooMuch()))
              .collect(Collectors.joining(", ")));
    }
    result.delays().ifPresent(waits -> line(out, "waits", waits(waits)));
    if (result.forgottenEarly() > 0) {
      line(
          out,
          "memory full",
          result.forgottenEarly() + " keys were forgotten early: too much was admitted");
    }
  }

  private static String share(long part, Result result) {
    long all = result.admitted() + result.refused();
    return all == 0 ? part + "" : format("%d, %.2f %%", part, 100.0 * part / all);
  }

  private static String worst(Worst worst) {
    String within = " in " + period(worst.period());
    return worst.most() == 0
        ? "0" + within
        : worst.most()
            + within
            + " (rate: "
            + worst.count()
            + "), "
            + Text.visible(worst.key())
            + " until "
            + worst.at();
  }

  private static String period(Duration period) {
    return period.toMillis() == 0 ? period.toNanos() / 1000 + "us" : DurationText.brief(period);
  }

  private static String less(long tooMuch) {
    return tooMuch == 0 ? "" : " (at most " + tooMuch + " less)";
  }

  private static String waits(Waits waits) {
    return waits.delayed()
        + " waited; median "
        + DurationText.brief(waits.median())
        + ", p99 "
        + DurationText.brief(waits.p99())
        + ", longest "
        + DurationText.brief(waits.most());
  }

  private static void line(StringBuilder out, String label, String value) {
    out.append(String.format("%-13s %s%n", label, value));
  }

  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }

  static String json(ReplayReport report) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("lines", report.lines());
    fields.put("bytes", report.bytes());
    fields.put("requests", report.requests());
    fields.put("malformed", report.malformed());
    fields.put("withoutKey", report.withoutKey());
    fields.put("outOfOrder", report.outOfOrder());
    fields.put("from", report.from().toString());
    fields.put("to", report.to().toString());
    fields.put("keys", report.keys());
    fields.put("keysExact", report.keysExact());
    fields.put("giniAsked", report.giniOfAsked());
    fields.put("policies", report.policies().stream().map(ReplayView::fields).toList());
    return Text.visibleJson(JSON.std.asString(fields));
  }

  private static Map<String, Object> fields(Result result) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("policy", result.policy());
    fields.put("admitted", result.admitted());
    fields.put("refused", result.refused());
    fields.put("worst", result.worst().stream().map(ReplayView::fields).toList());
    fields.put("neverRefused", result.neverRefused());
    fields.put("giniAdmitted", result.giniOfAdmitted());
    fields.put(
        "mostRefused",
        result.mostRefused().stream()
            .map(key -> fields("key", key.key(), "count", key.count(), "tooMuch", key.tooMuch()))
            .toList());
    result
        .delays()
        .ifPresent(
            waits ->
                fields.put(
                    "waits",
                    fields(
                        "delayed",
                        waits.delayed(),
                        "medianMillis",
                        waits.median().toMillis(),
                        "p99Millis",
                        waits.p99().toMillis(),
                        "mostMillis",
                        waits.most().toMillis())));
    fields.put("forgottenEarly", result.forgottenEarly());
    return fields;
  }

  private static Map<String, Object> fields(Worst worst) {
    return fields(
        "limit",
        worst.limit(),
        "periodMillis",
        worst.period().toNanos() / 1e6,
        "most",
        worst.most(),
        "key",
        worst.key(),
        "at",
        worst.at().toString());
  }

  private static Map<String, Object> fields(Object... pairs) {
    Map<String, Object> fields = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      fields.put((String) pairs[i], pairs[i + 1]);
    }
    return fields;
  }
}
