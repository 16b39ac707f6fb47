package dev.sluice.bench.scale;

import dev.sluice.bench.report.ReadableNumbers;
import dev.sluice.bench.report.Svg;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Small charts side by side, each with curves over logarithmic axes, as SVG. */
public final class CurveChart {
  private static final int WIDTH = 860;
  private static final int ACROSS = 2;
  private static final int TOP = 66;
  private static final int PANEL = WIDTH / ACROSS;
  private static final int HIGH = 230;
  private static final int LEFT = 58;
  private static final int RIGHT = 16;
  private static final int HEAD = 46;
  private static final int FOOT = 40;
  private static final int COLOURS = 5;

  private static final String STYLE =
      """
      .curve{fill:none;stroke-width:2}.dashed{stroke-dasharray:5 4}
      .c0{stroke:#0969da}.c1{stroke:#cf222e}.c2{stroke:#1a7f37}.c3{stroke:#8250df}.c4{stroke:#9a6700}
      .d0{fill:#0969da}.d1{fill:#cf222e}.d2{fill:#1a7f37}.d3{fill:#8250df}.d4{fill:#9a6700}
      @media (prefers-color-scheme:dark){.c0{stroke:#4493f8}.c1{stroke:#f85149}.c2{stroke:#3fb950}
      .c3{stroke:#ab7df8}.c4{stroke:#d29922}.d0{fill:#4493f8}.d1{fill:#f85149}.d2{fill:#3fb950}
      .d3{fill:#ab7df8}.d4{fill:#d29922}}
      """;

  private record Curve(String label, int colour, boolean dashed, TreeMap<Double, Double> points) {}

  private static final class Panel {
    final String title;
    final String below;
    final List<Curve> curves = new ArrayList<>();

    Panel(String title, String below) {
      this.title = title;
      this.below = below;
    }

    List<Double> all(boolean across) {
      return curves.stream()
          .flatMap(curve -> (across ? curve.points.keySet() : curve.points.values()).stream())
          .toList();
    }
  }

  /** Powers of ten that hold all values. */
  private record Axis(int from, int to) {
    static Axis over(List<Double> values) {
      double least = values.stream().mapToDouble(Double::doubleValue).min().orElse(1);
      double most = values.stream().mapToDouble(Double::doubleValue).max().orElse(10);
      int from = (int) Math.floor(Math.log10(least));
      return new Axis(from, Math.max(from + 1, (int) Math.ceil(Math.log10(most))));
    }

    double at(double value, double begin, double end) {
      return begin + (Math.log10(value) - from) / (to - from) * (end - begin);
    }
  }

  private final String title;
  private final String subtitle;
  private final List<Panel> panels = new ArrayList<>();

  public CurveChart(String title, String subtitle) {
    this.title = title;
    this.subtitle = subtitle;
  }

  /** Begins a chart; curves that follow are its own. */
  public CurveChart panel(String heading, String below) {
    panels.add(new Panel(heading, below));
    return this;
  }

  /** Adds what was measured; what is not above zero has no place on such an axis. */
  public CurveChart curve(String label, Map<Double, Double> points) {
    Panel panel = panels.get(panels.size() - 1);
    int colour = (int) panel.curves.stream().filter(curve -> !curve.dashed).count() % COLOURS;
    return add(panel, label, colour, false, points);
  }

  /** Adds what was predicted for the curve before, dashed. */
  public CurveChart dashed(String label, Map<Double, Double> points) {
    Panel panel = panels.get(panels.size() - 1);
    long before = panel.curves.stream().filter(curve -> !curve.dashed).count();
    return add(panel, label, (int) Math.max(0, before - 1) % COLOURS, true, points);
  }

  private CurveChart add(
      Panel panel, String label, int colour, boolean dashed, Map<Double, Double> points) {
    TreeMap<Double, Double> drawn = new TreeMap<>();
    points.forEach(
        (x, y) -> {
          if (x > 0 && y > 0 && !y.isInfinite()) {
            drawn.put(x, y);
          }
        });
    if (!drawn.isEmpty()) {
      panel.curves.add(new Curve(label, colour, dashed, drawn));
    }
    return this;
  }

  /** {@return the drawing as a file; charts without curves are left out} */
  public String toSvg() {
    List<Panel> drawn = panels.stream().filter(panel -> !panel.curves.isEmpty()).toList();
    int rows = (drawn.size() + ACROSS - 1) / ACROSS;
    int legend = drawn.stream().mapToInt(CurveChart::legendRows).max().orElse(0) * 16;
    int high = HEAD + legend + HIGH + FOOT;
    Svg out = new Svg(WIDTH, TOP + rows * high, STYLE, title, subtitle);
    for (int i = 0; i < drawn.size(); i++) {
      draw(out, drawn.get(i), (i % ACROSS) * PANEL, TOP + i / ACROSS * high, legend);
    }
    return out.end();
  }

  private static int legendRows(Panel panel) {
    return panel.curves.size();
  }

  private static void draw(Svg out, Panel panel, double x, double y, int legend) {
    double left = x + LEFT;
    double right = x + PANEL - RIGHT;
    double top = y + HEAD + legend - 16;
    double bottom = top + HIGH;
    out.text("ink group", x + 16, y + 18, "start", panel.title);
    Axis across = Axis.over(panel.all(true));
    Axis up = Axis.over(panel.all(false));
    for (int power = across.from; power <= across.to; power++) {
      double at = across.at(Math.pow(10, power), left, right);
      out.line("grid", at, top, at, bottom);
      out.text("soft", at, bottom + 16, "middle", ReadableNumbers.brief(Math.pow(10, power)));
    }
    for (int power = up.from; power <= up.to; power++) {
      double at = up.at(Math.pow(10, power), bottom, top);
      out.line("grid", left, at, right, at);
      out.text("soft", left - 6, at + 4, "end", ReadableNumbers.brief(Math.pow(10, power)));
    }
    out.text("soft", (left + right) / 2, bottom + 32, "middle", panel.below);
    for (int i = 0; i < panel.curves.size(); i++) {
      Curve curve = panel.curves.get(i);
      double line = y + 34 + i * 16;
      String style = "curve c" + curve.colour + (curve.dashed ? " dashed" : "");
      out.line(style, left, line, left + 26, line);
      out.text("soft", left + 34, line + 4, "start", curve.label);
      StringBuilder path = new StringBuilder();
      curve.points.forEach(
          (px, py) ->
              path.append(path.isEmpty() ? "M" : "L")
                  .append(
                      String.format(
                          Locale.ROOT,
                          "%.1f %.1f",
                          across.at(px, left, right),
                          up.at(py, bottom, top))));
      out.add("<path class=\"%s\" d=\"%s\"/>\n", style, path);
      if (!curve.dashed) {
        curve.points.forEach(
            (px, py) ->
                out.add(
                    "<circle class=\"d%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n",
                    curve.colour, across.at(px, left, right), up.at(py, bottom, top)));
      }
    }
  }
}
