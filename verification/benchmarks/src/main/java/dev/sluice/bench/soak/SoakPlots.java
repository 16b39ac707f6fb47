package dev.sluice.bench.soak;

import dev.sluice.bench.report.Svg;
import java.util.List;
import java.util.Locale;

/** One small plot for each series, all on the same time. */
final class SoakPlots {
  private static final int WIDTH = 860;
  private static final int COLUMNS = 2;
  private static final int TOP = 64;
  private static final int CELL_WIDTH = 410;
  private static final int CELL_HEIGHT = 130;
  private static final int PLOT_WIDTH = 380;
  private static final int PLOT_HEIGHT = 80;
  private static final int HEAD = 24;

  private static final String STYLE =
      """
      .trace{fill:none;stroke:#0969da;stroke-width:1.2}.grows{stroke:#cf222e}
      .word{font-weight:600}.alarm{fill:#cf222e}.judged{fill:#8c959f;fill-opacity:.12}
      @media (prefers-color-scheme:dark){.trace{stroke:#4493f8}.grows{stroke:#f85149}
      .alarm{fill:#f85149}}
      """;

  private final SoakOutcome outcome;
  private final double end;

  SoakPlots(SoakOutcome outcome) {
    this.outcome = outcome;
    List<Double> seconds = outcome.seconds();
    this.end = seconds.isEmpty() ? 1 : Math.max(1, seconds.get(seconds.size() - 1));
  }

  String svg(String title) {
    int rows = (outcome.series().size() + COLUMNS - 1) / COLUMNS;
    Svg out =
        new Svg(
            WIDTH,
            TOP + rows * CELL_HEIGHT + 16,
            STYLE,
            title,
            outcome.text() + "; grey: the half that is judged");
    for (int i = 0; i < outcome.series().size(); i++) {
      double x = 16 + (double) (i % COLUMNS) * (CELL_WIDTH + 8);
      double y = TOP + (double) (i / COLUMNS) * CELL_HEIGHT;
      draw(out, outcome.series().get(i), x, y);
    }
    return out.end();
  }

  private void draw(Svg out, Series one, double x, double y) {
    boolean grows = one.grows();
    double most = one.values().stream().filter(v -> !v.isNaN()).mapToDouble(v -> v).max().orElse(0);
    out.text(grows ? "alarm word" : "ink word", x, y + 14, "start", one.name());
    out.text("soft", x + PLOT_WIDTH, y + 14, "end", "up to " + SoakReport.number(most, one.unit()));
    double base = y + HEAD + PLOT_HEIGHT;
    if (one.bound() != null && !outcome.seconds().isEmpty()) {
      double from = x(x, outcome.seconds().get(outcome.seconds().size() / 2));
      out.rect("judged", from, y + HEAD, x + PLOT_WIDTH - from, PLOT_HEIGHT);
    }
    out.line("grid", x, base, x + PLOT_WIDTH, base);
    out.add(
        "<path class=\"%s\" d=\"%s\"/>\n",
        grows ? "trace grows" : "trace", path(one, x, base, most));
    out.text("soft", x + PLOT_WIDTH, base + 14, "end", Math.round(end) + " s");
  }

  private double x(double left, double second) {
    return left + PLOT_WIDTH * second / end;
  }

  /** A gap where nothing was measured. */
  private String path(Series one, double left, double base, double most) {
    StringBuilder path = new StringBuilder();
    boolean pen = false;
    for (int i = 0; i < one.values().size(); i++) {
      double value = one.values().get(i);
      if (Double.isNaN(value)) {
        pen = false;
        continue;
      }
      double y = base - (most > 0 ? PLOT_HEIGHT * value / most : 0);
      path.append(
          String.format(
              Locale.ROOT, "%s%.1f %.1f", pen ? "L" : "M", x(left, outcome.seconds().get(i)), y));
      pen = true;
    }
    return path.toString();
  }
}
