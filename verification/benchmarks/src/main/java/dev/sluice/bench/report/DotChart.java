package dev.sluice.bench.report;

import java.util.ArrayList;
import java.util.List;

/**
 * Dots with whiskers on a logarithmic scale, as SVG. Dots, since bars have no honest length on such
 * a scale.
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
      .dot{fill:#8c959f}.whisker{stroke:#8c959f}.ours .dot{fill:#0969da}
      .ours .whisker{stroke:#0969da}.ours .label{font-weight:600}
      @media (prefers-color-scheme:dark){.ours .dot{fill:#4493f8}
      .ours .whisker{stroke:#4493f8}}
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
    Svg out =
        new Svg(
            WIDTH, height, STYLE, title, axis + "; dot: median, line: least to most of the rounds");
    for (int power = from; power <= to; power++) {
      double x = x(Math.pow(10, power), from, to);
      out.line("grid", x, TOP - 4, x, height - 12);
      out.text("soft", x, TOP - 10, "middle", ReadableNumbers.brief(Math.pow(10, power)));
    }
    double y = TOP;
    for (Group group : groups) {
      out.text("ink group", 16, y + 20, "start", group.title());
      y += GROUP;
      for (Row row : group.rows()) {
        draw(out, row, y, from, to);
        y += ROW;
      }
    }
    return out.end();
  }

  private List<Row> rows() {
    return groups.stream().flatMap(group -> group.rows().stream()).toList();
  }

  private static void draw(Svg out, Row row, double y, int from, int to) {
    Spread value = row.value();
    double middle = y + ROW / 2.0 - 2;
    double most = x(value.most(), from, to);
    out.add(Section.isOurs(row.label()) ? "<g class=\"ours\">\n" : "<g>\n");
    out.text("ink label", LEFT - 10, middle + 4, "end", row.label());
    out.add(
        "<line class=\"whisker\" stroke-width=\"2\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\""
            + " y2=\"%.1f\"/>\n",
        x(value.least(), from, to), middle, most, middle);
    out.add(
        "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/>\n",
        x(value.median(), from, to), middle);
    out.text("soft", most + 10, middle + 4, "start", ReadableNumbers.brief(value.median()));
    out.add("</g>\n");
  }

  private static double x(double value, int from, int to) {
    return LEFT + (Math.log10(value) - from) / (to - from) * (WIDTH - LEFT - RIGHT);
  }
}
