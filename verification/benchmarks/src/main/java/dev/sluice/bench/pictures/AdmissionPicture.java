package dev.sluice.bench.pictures;

import dev.sluice.bench.report.Svg;
import dev.sluice.limit.Limit;
import java.util.List;
import java.util.Locale;
import java.util.function.LongToDoubleFunction;

/** Draws a trace: the calls, what is left, and how many passed within the last second. */
final class AdmissionPicture {
  private static final int WIDTH = 860;
  private static final int HEIGHT = 356;
  private static final int LEFT = 154;
  private static final int RIGHT = 24;
  private static final int CALLS = 84;
  private static final int CALLS_HIGH = 56;
  private static final int LEVEL = 166;
  private static final int LEVEL_HIGH = 60;
  private static final int SUM = 252;
  private static final int SUM_HIGH = 72;
  private static final long BIN = 100_000;
  private static final int MAX_CALLS = 4;

  private static final String STYLE =
      """
      .offered{fill:#c8d1da}.admitted{fill:#0969da}.area{fill:#0969da;fill-opacity:.15}
      .curve{fill:none;stroke:#0969da;stroke-width:1.5}.bound{stroke:#cf222e;stroke-dasharray:5 4}
      .over{fill:#cf222e}.worst{fill:#bf8700;fill-opacity:.16}
      @media (prefers-color-scheme:dark){.offered{fill:#4d5561}.admitted{fill:#4493f8}
      .area{fill:#4493f8;fill-opacity:.2}.curve{stroke:#4493f8}.bound{stroke:#f85149}
      .over{fill:#f85149}.worst{fill:#d29922;fill-opacity:.22}}
      """;

  private AdmissionPicture() {}

  static String draw(String title, Limit limit) {
    Trace trace = Trace.of(limit);
    boolean queue = limit.algorithm() == Limit.Algorithm.LEAKY_QUEUE;
    Svg out =
        new Svg(
            WIDTH,
            HEIGHT,
            STYLE,
            title,
            limit
                + ": "
                + trace.admitted().size()
                + " of "
                + Trace.calls().size()
                + " calls admitted, at most "
                + trace.worst().count()
                + " within one second");
    double from = x(trace.worst().start());
    out.rect(
        "worst", from, 64, x(trace.worst().start() + Trace.SECOND) - from, SUM + SUM_HIGH - 64);
    String worst = trace.worst().count() + " in the worst second";
    out.text("soft", from + 4, 76, "start", worst);
    seconds(out);
    calls(out, trace, queue);
    curve(
        out,
        queue ? "callers waiting" : "permits left",
        new Scale(LEVEL, LEVEL_HIGH, limit.capacity()),
        at -> trace.level().get((int) (at / Trace.STEP)));
    Scale sums = new Scale(SUM, SUM_HIGH, 2 * limit.count());
    curve(
        out,
        "in the last second",
        sums,
        at -> Trace.within(trace.admitted(), at - Trace.SECOND + 1, at + 1));
    double bound = sums.y(limit.count());
    out.line("bound", LEFT, bound, WIDTH - RIGHT, bound);
    out.text("over", LEFT - 6, bound + 4, "end", "" + limit.count());
    return out.end();
  }

  private record Scale(int top, int high, double most) {
    double y(double value) {
      return top + high - high * Math.min(value, most) / most;
    }
  }

  private static void seconds(Svg out) {
    for (long at = 0; at <= Trace.END; at += Trace.SECOND) {
      out.line("grid", x(at), 64, x(at), SUM + SUM_HIGH);
      out.text("soft", x(at), SUM + SUM_HIGH + 18, "middle", at / Trace.SECOND + " s");
    }
  }

  private static void calls(Svg out, Trace trace, boolean queue) {
    label(out, CALLS, CALLS_HIGH, "calls per 0.1 s");
    out.text("admitted", 16, CALLS + CALLS_HIGH / 2.0 + 20, "start", "admitted");
    List<Long> offered = Trace.calls();
    double unit = (double) CALLS_HIGH / MAX_CALLS;
    double wide = x(BIN) - x(0);
    for (long at = 0; at < Trace.END; at += BIN) {
      int came = Trace.within(offered, at, at + BIN);
      int passed = Trace.within(trace.admitted(), at, at + BIN);
      if (came > 0) {
        double high = came * unit;
        out.rect("offered", x(at) + 1, CALLS + CALLS_HIGH - high, wide - 2, high);
      }
      if (passed > 0) {
        double high = passed * unit;
        double inset = queue ? 4 : 1; // a queue admits without new arrivals, too
        out.rect("admitted", x(at) + inset, CALLS + CALLS_HIGH - high, wide - 2 * inset, high);
      }
    }
    out.line("grid", LEFT, CALLS + CALLS_HIGH, WIDTH - RIGHT, CALLS + CALLS_HIGH);
  }

  private static void curve(Svg out, String label, Scale scale, LongToDoubleFunction value) {
    label(out, scale.top, scale.high, label);
    StringBuilder path = new StringBuilder();
    double last = -1;
    for (long at = 0; at <= Trace.END; at += Trace.STEP) {
      double y = scale.y(value.applyAsDouble(at));
      if (at == 0) {
        path.append(String.format(Locale.ROOT, "M%.1f %.1f", x(at), y));
      } else if (y != last || at == Trace.END) {
        path.append(String.format(Locale.ROOT, "H%.1fV%.1f", x(at), y));
      }
      last = y;
    }
    double floor = scale.top + scale.high;
    out.add("<path class=\"area\" d=\"%sV%.1fH%.1fZ\"/>\n", path, floor, x(0));
    out.add("<path class=\"curve\" d=\"%s\"/>\n", path);
    out.line("grid", LEFT, floor, WIDTH - RIGHT, floor);
    out.text("soft", LEFT - 6, floor + 4, "end", "0");
    out.text("soft", LEFT - 6, scale.top + 4, "end", "" + (long) scale.most);
  }

  private static void label(Svg out, int top, int high, String label) {
    out.text("ink", 16, top + high / 2.0 + 4, "start", label);
  }

  private static double x(long at) {
    return LEFT + (double) (WIDTH - LEFT - RIGHT) * at / Trace.END;
  }
}
