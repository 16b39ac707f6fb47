package dev.sluice.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Dots with whiskers on a logarithmic scale, as SVG. Dots, since bars have no honest length on such
 * a scale. Readable on light and dark pages: it brings its own ground and follows the reader's
 * preference.
 */
final class DotChart {
  private static final int WIDTH = 860;
  private static final int LEFT = 150;
  private static final int RIGHT = 90;
  private static final int TOP = 74;
  private static final int ROW = 20;
  private static final int GROUP = 34;

  private static final String STYLE =
      """
      .ground{fill:#fff}.ink{fill:#1f2328}.soft{fill:#59636e}.grid{stroke:#d1d9e0}
      .dot{fill:#8c959f}.whisker{stroke:#8c959f}.ours .dot{fill:#0969da}
      .ours .whisker{stroke:#0969da}.ours .label{font-weight:600}
      @media (prefers-color-scheme:dark){.ground{fill:#0d1117}.ink{fill:#f0f6fc}
      .soft{fill:#9198a1}.grid{stroke:#3d444d}.ours .dot{fill:#4493f8}
      .ours .whisker{stroke:#4493f8}}
      text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;font-size:12px}
      .title{font-size:16px;font-weight:600}.group{font-weight:600}
      """;

  private record Row(String label, Spread value) {}

  private record Group(String title, List<Row> rows) {}

  private final String title;
  private final String axis;
  private final List<Group> groups = new ArrayList<>();

  DotChart(String title, String axis) {
    this.title = title;
    this.axis = axis;
  }

  void group(String heading) {
    groups.add(new Group(heading, new ArrayList<>()));
  }

  void row(String label, Spread value) {
    if (value.isKnown() && value.least() > 0) {
      groups.get(groups.size() - 1).rows().add(new Row(label, value));
    }
  }

  String toSvg() {
    double least = rows().stream().mapToDouble(row -> row.value().least()).min().orElse(1);
    double most = rows().stream().mapToDouble(row -> row.value().most()).max().orElse(10);
    int from = (int) Math.floor(Math.log10(least));
    int to = Math.max(from + 1, (int) Math.ceil(Math.log10(most)));
    int height =
        TOP + 16 + groups.stream().mapToInt(group -> GROUP + ROW * group.rows().size()).sum();
    StringBuilder out = new StringBuilder();
    out.append(
        format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\""
                + " height=\"%d\" role=\"img\">\n",
            WIDTH, height, WIDTH, height));
    out.append("<title>").append(escape(title)).append("</title>\n");
    out.append("<style>\n").append(STYLE).append("</style>\n");
    out.append(format("<rect class=\"ground\" width=\"%d\" height=\"%d\"/>\n", WIDTH, height));
    text(out, "ink title", 16, 26, "start", title);
    text(out, "soft", 16, 46, "start", axis + "; dot: median, line: least to most of the rounds");
    for (int power = from; power <= to; power++) {
      double x = x(Math.pow(10, power), from, to);
      out.append(
          format(
              "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>\n",
              x, TOP - 4, x, height - 12));
      text(out, "soft", x, TOP - 10, "middle", Numbers.brief(Math.pow(10, power)));
    }
    double y = TOP;
    for (Group group : groups) {
      text(out, "ink group", 16, y + 20, "start", group.title());
      y += GROUP;
      for (Row row : group.rows()) {
        draw(out, row, y, from, to);
        y += ROW;
      }
    }
    return out.append("</svg>\n").toString();
  }

  private List<Row> rows() {
    return groups.stream().flatMap(group -> group.rows().stream()).toList();
  }

  private static void draw(StringBuilder out, Row row, double y, int from, int to) {
    Spread value = row.value();
    double middle = y + ROW / 2.0 - 2;
    double most = x(value.most(), from, to);
    out.append(row.label().startsWith("sluice") ? "<g class=\"ours\">" : "<g>");
    text(out, "ink label", LEFT - 10, middle + 4, "end", row.label());
    out.append(
        format(
            "<line class=\"whisker\" stroke-width=\"2\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\""
                + " y2=\"%.1f\"/>",
            x(value.least(), from, to), middle, most, middle));
    out.append(
        format(
            "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/>",
            x(value.median(), from, to), middle));
    text(out, "soft", most + 10, middle + 4, "start", Numbers.brief(value.median()));
    out.append("</g>\n");
  }

  private static double x(double value, int from, int to) {
    return LEFT + (Math.log10(value) - from) / (to - from) * (WIDTH - LEFT - RIGHT);
  }

  private static void text(
      StringBuilder out, String style, double x, double y, String anchor, String text) {
    out.append(
        format(
            "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>",
            style, x, y, anchor, escape(text)));
  }

  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
