package dev.sluice.bench.pictures;

import dev.sluice.bench.report.Svg;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;

/** Draws what a database is asked, before and after, on one scale. */
final class CacheChart {
  private static final int WIDTH = 860;
  private static final int LEFT = 170;
  private static final int RIGHT = 40;
  private static final int TOP = 72;
  private static final int HIGH = 96;
  private static final int GAP = 26;
  private static final int BAR = 24;

  private static final String STYLE =
      """
      .before{fill:#cf222e}.after{fill:#0969da}
      @media (prefers-color-scheme:dark){.before{fill:#f85149}.after{fill:#4493f8}}
      """;

  private CacheChart() {}

  /** One curve of steps. */
  record Curve(String label, String note, double[] values) {}

  /**
   * Two curves, one above the other.
   *
   * @param tick what stands below every so manieth step
   */
  static String curves(
      String title, String subtitle, List<Curve> curves, int every, IntFunction<String> tick) {
    int height = TOP + curves.size() * (HIGH + GAP) + 16;
    Svg out = new Svg(WIDTH, height, STYLE, title, subtitle);
    double most = curves.stream().flatMapToDouble(c -> Arrays.stream(c.values())).max().orElse(1);
    double wide = (double) (WIDTH - LEFT - RIGHT) / curves.get(0).values().length;
    int floor = TOP;
    for (int c = 0; c < curves.size(); c++) {
      Curve curve = curves.get(c);
      floor = TOP + c * (HIGH + GAP) + HIGH;
      String style = c == 0 ? "before" : "after";
      out.text("ink group", 16, floor - HIGH / 2.0, "start", curve.label());
      out.text("soft", 16, floor - HIGH / 2.0 + 18, "start", curve.note());
      for (int i = 0; i < curve.values().length; i++) {
        double high = HIGH * curve.values()[i] / most;
        if (high > 0) {
          out.rect(style, LEFT + i * wide, floor - high, Math.max(1, wide - 0.5), high);
        }
      }
      out.line("grid", LEFT, floor, WIDTH - RIGHT, floor);
      out.line("grid", LEFT, floor - HIGH, WIDTH - RIGHT, floor - HIGH);
      out.text("soft", LEFT - 6, floor + 4, "end", "0");
      out.text("soft", LEFT - 6, floor - HIGH + 4, "end", number(most));
    }
    for (int i = 0; i <= curves.get(0).values().length; i += every) {
      out.text("soft", LEFT + i * wide, floor + 18, "middle", tick.apply(i));
    }
    return out.end();
  }

  /** A group of bars. */
  record Bars(String label, List<Bar> bars) {}

  record Bar(String label, long value) {}

  static String bars(String title, String subtitle, List<Bars> groups) {
    int rows = groups.stream().mapToInt(g -> g.bars().size()).sum();
    Svg out = new Svg(WIDTH, TOP + rows * BAR + groups.size() * 34, STYLE, title, subtitle);
    double most =
        groups.stream().flatMap(g -> g.bars().stream()).mapToLong(Bar::value).max().orElse(1);
    double y = TOP;
    for (Bars group : groups) {
      out.text("ink group", 16, y + 8, "start", group.label());
      y += 18;
      for (int i = 0; i < group.bars().size(); i++) {
        Bar bar = group.bars().get(i);
        String style = i == group.bars().size() - 1 ? "after" : "before";
        double wide = (WIDTH - LEFT - RIGHT - 60) * bar.value() / most;
        out.text("soft", LEFT - 10, y + 15, "end", bar.label());
        out.rect(style, LEFT, y + 3, Math.max(1, wide), BAR - 8);
        out.text("ink", LEFT + Math.max(1, wide) + 8, y + 15, "start", number(bar.value()));
        y += BAR;
      }
      y += 16;
    }
    return out.end();
  }

  static String number(double value) {
    return String.format(Locale.ROOT, "%,.0f", value);
  }
}
