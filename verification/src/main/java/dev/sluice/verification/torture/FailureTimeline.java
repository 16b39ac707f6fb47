package dev.sluice.verification.torture;

import dev.sluice.lock.LeaseState;
import dev.sluice.verification.history.Event;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The last seconds of a run as a picture: who held what, what was refused, what struck. */
final class FailureTimeline {
  private static final long SHOWN_NANOS = 20_000_000_000L;
  private static final int LEFT = 90;
  private static final int WIDTH = 1500;
  private static final int ROW = 46;
  private static final int BAR = 12;
  private static final int TOP = 60;
  private static final Map<String, String> COLOURS =
      Map.of("a", "#2f6fb0", "b", "#3d9a50", "c", "#b07a1f");

  private record Bar(String client, String name, long token, long from, long until, boolean lost) {}

  private record Dot(String client, long at) {}

  private final TortureResult verdict;
  private final long end;
  private final long start;
  private final List<Bar> bars = new ArrayList<>();
  private final List<Dot> refusals = new ArrayList<>();

  FailureTimeline(TortureResult verdict) {
    this.verdict = verdict;
    List<Event> events = verdict.lastEvents();
    this.end = events.isEmpty() ? 0 : events.get(events.size() - 1).at();
    this.start = events.isEmpty() ? 0 : Math.max(events.get(0).at(), end - SHOWN_NANOS);
    collect(events);
  }

  private void collect(List<Event> events) {
    Map<Integer, Event.Acquired> open = new HashMap<>();
    Map<Integer, String> callers = new HashMap<>();
    for (Event event : events) {
      if (event instanceof Event.Invoked invoked) {
        callers.put(invoked.op(), invoked.client());
      } else if (event instanceof Event.Acquired acquired) {
        open.put(acquired.op(), acquired);
      } else if (event instanceof Event.ReleaseCalled called) {
        close(open.remove(called.op()), called.at(), false);
      } else if (event instanceof Event.Told told && told.state() == LeaseState.LOST) {
        close(open.remove(told.op()), told.at(), true);
      } else if (event instanceof Event.Fault fault && fault.kind() == Event.Kind.GONE) {
        List<Event.Acquired> theirs =
            open.values().stream().filter(a -> a.client().equals(fault.client())).toList();
        theirs.forEach(a -> close(open.remove(a.op()), fault.at(), true));
      } else if (event instanceof Event.Written written && !written.accepted()) {
        refusals.add(new Dot(callers.getOrDefault(written.op(), ""), written.at()));
      }
    }
    List.copyOf(open.values()).forEach(a -> close(a, end, false));
  }

  private void close(
      Event.@org.jspecify.annotations.Nullable Acquired acquired, long at, boolean lost) {
    if (acquired != null && at >= start) {
      bars.add(
          new Bar(acquired.client(), acquired.name(), acquired.token(), acquired.at(), at, lost));
    }
  }

  private double x(long at) {
    double share = (at - start) / (double) Math.max(1, end - start);
    return LEFT + (WIDTH - LEFT - 20) * Math.max(0, Math.min(1, share));
  }

  /** {@return the picture} */
  String svg() {
    Map<String, Integer> rows =
        new TreeMap<>(
            (a, b) -> a.length() == b.length() ? a.compareTo(b) : a.length() - b.length());
    bars.forEach(bar -> rows.put(bar.client(), 0));
    int next = 1;
    for (Map.Entry<String, Integer> row : rows.entrySet()) {
      row.setValue(next++);
    }
    int height = TOP + next * ROW + 40;
    StringBuilder svg = new StringBuilder();
    add(
        svg,
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' font-family='sans-serif' font-size='11'>",
        WIDTH,
        height);
    add(svg, "<rect width='%d' height='%d' fill='#fff'/>", WIDTH, height);
    text(svg, 10, 18, "#222", verdict.text().lines().findFirst().orElse(""));
    text(
        svg,
        10,
        34,
        "#666",
        "locks a (blue), b (green), c (brown); dark end: lost; red dot: refused by the guard; grey: a fault");
    axis(svg, height);
    text(svg, 10, TOP + 14, "#222", "servers");
    verdict.marks().forEach(mark -> draw(svg, mark, rows));
    rows.forEach((client, row) -> text(svg, 10, y(row) + 20, "#222", client));
    bars.forEach(bar -> draw(svg, bar, y(rows.getOrDefault(bar.client(), 0))));
    for (Dot dot : refusals) {
      Integer row = rows.get(dot.client());
      if (row != null && dot.at() >= start) {
        add(svg, "<circle cx='%.1f' cy='%d' r='2.5' fill='#c22'/>", x(dot.at()), y(row) + 39);
      }
    }
    return svg.append("</svg>\n").toString();
  }

  private static int y(int row) {
    return TOP + row * ROW;
  }

  private void axis(StringBuilder svg, int height) {
    for (long at = end - SHOWN_NANOS; at <= end; at += 1_000_000_000L) {
      if (at >= start) {
        add(
            svg,
            "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' stroke='#eee'/>",
            x(at),
            TOP - 10,
            x(at),
            height - 25);
        text(svg, x(at) - 8, height - 10, "#666", (at - end) / 1_000_000_000 + " s");
      }
    }
  }

  private void draw(StringBuilder svg, TortureResult.Mark mark, Map<String, Integer> rows) {
    if (mark.until() < start || mark.from() > end) {
      return;
    }
    String first = mark.what().split(" ")[0];
    int row = mark.where().equals("clients") ? rows.getOrDefault(first, -1) : 0;
    if (row < 0) {
      return;
    }
    add(
        svg,
        "<rect x='%.1f' y='%d' width='%.1f' height='%d' fill='#888' fill-opacity='0.25'><title>%s</title></rect>",
        x(mark.from()),
        y(row),
        Math.max(2, x(mark.until()) - x(mark.from())),
        ROW - 4,
        escape(mark.what()));
    if (row == 0) {
      text(
          svg,
          x(mark.from()) + 2,
          y(0) + 12 + (int) (mark.from() / 1_000_000 % 3) * 12,
          "#333",
          mark.what());
    }
  }

  private void draw(StringBuilder svg, Bar bar, int y) {
    int lane = bar.name().charAt(0) - 'a';
    double from = x(bar.from());
    double until = Math.max(from + 1, x(bar.until()));
    add(
        svg,
        "<rect x='%.1f' y='%d' width='%.1f' height='%d' fill='%s'><title>%s token %d</title></rect>",
        from,
        y + lane * (BAR + 1),
        until - from,
        BAR,
        COLOURS.getOrDefault(bar.name(), "#555"),
        escape(bar.name()),
        bar.token());
    if (bar.lost()) {
      add(
          svg,
          "<rect x='%.1f' y='%d' width='2' height='%d' fill='#000'/>",
          until - 1,
          y + lane * (BAR + 1),
          BAR);
    }
  }

  private static void text(StringBuilder svg, double x, int y, String colour, String text) {
    add(svg, "<text x='%.1f' y='%d' fill='%s'>%s</text>", x, y, colour, escape(text));
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("'", "&#39;");
  }

  private static void add(StringBuilder svg, String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
