package dev.sluice.replay;

import dev.sluice.replay.ReplayReport.Result;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/**
 * A chart of requests per second over time, one panel for each policy on one scale: admitted below,
 * refused on top. An SVG that brings its own ground and follows the reader's preference for light
 * or dark.
 *
 * @since 0.1
 */
public final class ReplayChart {
  private static final int WIDTH = 860;
  private static final int LEFT = 64;
  private static final int RIGHT = 20;
  private static final int TOP = 60;
  private static final int PANEL = 118;
  private static final int HEADING = 44;
  private static final int FOOT = 30;
  private static final int MAX_NAME_LENGTH = 84;

  /** Seconds between two marks of the time axis. */
  private static final List<Integer> STEPS =
      List.of(
          1,
          2,
          5,
          10,
          15,
          30,
          60,
          120,
          300,
          600,
          900,
          1800,
          3600,
          7200,
          10_800,
          21_600,
          43_200,
          86_400,
          172_800,
          604_800,
          1_209_600,
          2_592_000,
          7_776_000,
          31_536_000);

  private static final String STYLE =
      """
      .ground{fill:#fff}.ink{fill:#1f2328}.soft{fill:#59636e}.grid{stroke:#d1d9e0}
      .admitted{fill:#54aeff}.refused{fill:#cf222e}
      @media (prefers-color-scheme:dark){.ground{fill:#0d1117}.ink{fill:#f0f6fc}
      .soft{fill:#9198a1}.grid{stroke:#3d444d}.admitted{fill:#1f6feb}.refused{fill:#ff7b72}}
      text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;font-size:12px}
      .title{font-size:16px;font-weight:600}.name{font-weight:600}
      """;

  private final ReplayReport report;
  private final String binWidth;
  private final double binSeconds;
  private final int bins;
  private final double mostPerSecond;
  private final StringBuilder out = new StringBuilder();

  /**
   * Prepares a chart.
   *
   * @param report what it shows
   * @param binWidth {@link ReplayReport#binWidth()} as text
   */
  public ReplayChart(ReplayReport report, String binWidth) {
    this.report = report;
    this.binWidth = binWidth;
    this.binSeconds = report.binWidth().toMillis() / 1000.0;
    this.bins = Math.max(1, report.asked().size());
    this.mostPerSecond =
        report.asked().stream().mapToLong(Long::longValue).max().orElse(1) / binSeconds;
  }

  /** {@return the chart} */
  public String toSvg() {
    int height = TOP + report.policies().size() * (HEADING + PANEL) + FOOT;
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
            + " role=\"img\">\n",
        WIDTH, height, WIDTH, height);
    add("<title>Replay of %d requests</title>\n<style>\n%s</style>\n", report.requests(), STYLE);
    add("<rect class=\"ground\" width=\"%d\" height=\"%d\"/>\n", WIDTH, height);
    text("ink title", LEFT, 26, "start", "Requests per second, admitted and refused");
    text(
        "soft",
        LEFT,
        46,
        "start",
        "mean of each " + binWidth + "; " + report.from() + " to " + report.to());
    legend();
    int y = TOP;
    for (Result result : report.policies()) {
      panel(result, y + HEADING);
      y += HEADING + PANEL;
    }
    timeAxis(y);
    return out.append("</svg>\n").toString();
  }

  private void legend() {
    add("<rect class=\"admitted\" x=\"680\" y=\"16\" width=\"12\" height=\"12\"/>");
    text("ink", 698, 26, "start", "admitted");
    add("<rect class=\"refused\" x=\"766\" y=\"16\" width=\"12\" height=\"12\"/>");
    text("ink", 784, 26, "start", "refused");
  }

  private void panel(Result result, int top) {
    long all = Math.max(1, result.admitted() + result.refused());
    text("ink name", LEFT, top - 14, "start", shortened(result.policy()));
    text(
        "soft",
        WIDTH - RIGHT,
        top - 14,
        "end",
        String.format(
            Locale.ROOT, "%d refused, %.2f %%", result.refused(), 100.0 * result.refused() / all));
    double step = step(mostPerSecond);
    for (double value = 0; value <= mostPerSecond; value += step) {
      double y = y(value, top);
      add(
          "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>",
          LEFT, y, WIDTH - RIGHT, y);
      text("soft", LEFT - 8, y + 4, "end", number(value));
    }
    StringBuilder admitted = new StringBuilder();
    StringBuilder refused = new StringBuilder();
    for (int i = 0; i < report.asked().size(); i++) {
      double asked = report.asked().get(i) / binSeconds;
      double not = result.refusedOverTime().get(i) / binSeconds;
      bar(admitted, i, 0, asked - not, top);
      bar(refused, i, asked - not, asked, top);
    }
    add("\n<path class=\"admitted\" d=\"%s\"/>\n", admitted);
    add("<path class=\"refused\" d=\"%s\"/>\n", refused);
  }

  private void bar(StringBuilder path, int bin, double from, double to, int top) {
    if (to > from) {
      path.append(
          String.format(
              Locale.ROOT,
              "M%.1f %.1fV%.1fH%.1fV%.1fz",
              x(bin),
              y(from, top),
              y(to, top),
              x(bin + 1),
              y(from, top)));
    }
  }

  private void timeAxis(int y) {
    long from = report.binStart().getEpochSecond();
    double seconds = bins * binSeconds;
    int step = STEPS.get(STEPS.size() - 1);
    for (int i = STEPS.size() - 1; i >= 0 && seconds / STEPS.get(i) <= 8; i--) {
      step = STEPS.get(i);
    }
    String form = step < 60 ? "HH:mm:ss" : step < 86_400 ? "HH:mm" : "yyyy-MM-dd";
    DateTimeFormatter label =
        DateTimeFormatter.ofPattern(form, Locale.ROOT).withZone(ZoneOffset.UTC);
    for (long at = Math.floorDiv(from + step - 1, step) * (long) step;
        at <= from + seconds;
        at += step) {
      double x = x((at - from) / binSeconds);
      add("<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>", x, y, x, y + 5);
      text("soft", x, y + 20, "middle", label.format(Instant.ofEpochSecond(at)));
    }
    text("soft", WIDTH - RIGHT, y + 20, "end", "UTC");
  }

  private double x(double bin) {
    return LEFT + bin / bins * (WIDTH - LEFT - RIGHT - 40);
  }

  private double y(double value, int top) {
    return top + PANEL - value / Math.max(mostPerSecond, 1e-9) * PANEL;
  }

  /** A round number that gives two to five marks. */
  private static double step(double most) {
    double power = Math.pow(10, Math.floor(Math.log10(Math.max(most, 1e-6))));
    double leading = most / power;
    return leading >= 5 ? 2 * power : leading >= 2 ? power : power / 2;
  }

  private static String shortened(String policy) {
    return policy.length() <= MAX_NAME_LENGTH
        ? policy
        : policy.substring(0, MAX_NAME_LENGTH - 3) + "...";
  }

  private static String number(double value) {
    return value == Math.rint(value)
        ? String.valueOf((long) value)
        : String.format(Locale.ROOT, "%.3g", value);
  }

  private void text(String style, double x, double y, String anchor, String text) {
    add(
        "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>",
        style, x, y, anchor, escape(text));
  }

  private void add(String pattern, Object... values) {
    out.append(String.format(Locale.ROOT, pattern, values));
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
