package dev.sluice.bench;

import dev.sluice.bench.report.Svg;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Draws boxes in rows, each above all that it uses. An arrow that follows from others is not drawn;
 * what a box uses stands in it, so nothing is left out.
 */
final class ArchitecturePicture {
  private static final int WIDTH = 1120;
  private static final int LEFT = 16;
  private static final int BOX = 126;
  private static final int HIGH = 64;
  private static final int ROW = 112;
  private static final int HEAD = 76;
  private static final int LINE = 21; // letters of the small print in a box

  private static final String STYLE =
      """
      .box{fill:#ddf4ff;stroke:#0969da}.small{font-size:10px}
      .arrow{stroke:#59636e}.found{stroke:#59636e;stroke-dasharray:4 3}.tip{fill:#59636e}
      @media (prefers-color-scheme:dark){.box{fill:#121d2f;stroke:#4493f8}
      .arrow,.found{stroke:#9198a1}.tip{fill:#9198a1}}
      """;

  private final ArchitectureGraph graph;
  private final String base;
  private final Map<String, Double> centres = new HashMap<>();
  private final TreeMap<Integer, List<String>> rows = new TreeMap<>();

  private ArchitecturePicture(ArchitectureGraph graph, String base) {
    this.graph = graph;
    this.base = base;
    Map<String, Integer> heights = new HashMap<>();
    for (String box : graph.uses().keySet()) {
      int height = height(box, heights, List.of());
      rows.computeIfAbsent(height, none -> new ArrayList<>()).add(box);
    }
    rows.forEach(this::place);
  }

  /**
   * Draws two graphs, one below the other.
   *
   * @param modules boxes and arrows
   * @param core the packages of one of them
   */
  static String draw(ArchitectureGraph modules, ArchitectureGraph core) {
    ArchitecturePicture upper = new ArchitecturePicture(modules, "core");
    ArchitecturePicture lower = new ArchitecturePicture(core, "dev.sluice");
    int second = HEAD + upper.rows.size() * ROW + 24;
    int height = second + HEAD + lower.rows.size() * ROW;
    Svg out =
        new Svg(
            WIDTH,
            height,
            STYLE,
            "The modules, by their compiled classes",
            "Each stands above what it uses; in each, what it uses besides core. Dashed: found at"
                + " run time. Arrows that follow from others are left out");
    out.add(
        "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\""
            + " markerHeight=\"7\" orient=\"auto\"><path class=\"tip\" d=\"M0 0L8 4L0 8z\"/>"
            + "</marker></defs>\n");
    upper.add(out, HEAD);
    out.text("ink title", LEFT, second + 26, "start", "The packages of core");
    out.text(
        "soft", LEFT, second + 46, "start", "All throw the exceptions of the root, dev.sluice");
    lower.add(out, second + HEAD);
    return out.end();
  }

  private int height(String box, Map<String, Integer> known, List<String> above) {
    if (above.contains(box)) {
      throw new IllegalStateException("a circle of arrows: " + above + ", " + box);
    }
    Integer height = known.get(box);
    if (height == null) {
      List<String> path = new ArrayList<>(above);
      path.add(box);
      height =
          graph.targets(box).stream().mapToInt(to -> 1 + height(to, known, path)).max().orElse(0);
      known.put(box, height);
    }
    return height;
  }

  /**
   * Rows are placed from below, each box near the middle of what it uses. Rows with room stand
   * aside by turns, so that an arrow past one of them does not run behind its boxes.
   */
  private void place(int height, List<String> row) {
    row.sort(
        Comparator.<String>comparingDouble(
                box ->
                    graph.targets(box).stream()
                        .filter(to -> !to.equals(base))
                        .mapToDouble(centres::get)
                        .average()
                        .orElse(WIDTH / 2.0))
            .thenComparing(Comparator.naturalOrder()));
    double step = (WIDTH - 2.0 * LEFT) / row.size();
    double aside = row.size() > 5 ? 0 : Math.min(step / 4, 100) * (height % 2 == 0 ? 1 : -1);
    for (int i = 0; i < row.size(); i++) {
      centres.put(row.get(i), LEFT + step * (i + 0.5) + aside);
    }
  }

  private void add(Svg out, int top) {
    Map<String, Double> tops = new HashMap<>();
    rows.forEach(
        (height, row) ->
            row.forEach(box -> tops.put(box, (double) top + (rows.lastKey() - height) * ROW)));
    for (String box : graph.uses().keySet()) {
      out.rect("box", centres.get(box) - BOX / 2.0, tops.get(box), BOX, HIGH);
    }
    for (String from : graph.uses().keySet()) {
      for (String to : drawn(from)) { // above the boxes: one that passes behind would seem to end
        out.add(
            "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\""
                + " marker-end=\"url(#tip)\"/>\n",
            graph.uses().get(from).contains(to) ? "arrow" : "found",
            centres.get(from),
            tops.get(from) + HIGH,
            centres.get(to),
            tops.get(to));
      }
    }
    for (String box : graph.uses().keySet()) {
      double x = centres.get(box);
      double y = tops.get(box);
      out.text("ink group", x, y + 18, "middle", box.replace("dev.sluice.", ""));
      List<String> lines = lines(box);
      for (int i = 0; i < lines.size(); i++) {
        out.text("soft small", x, y + 33 + 12 * i, "middle", lines.get(i));
      }
    }
  }

  /** The arrows that follow from no others. */
  private SortedSet<String> drawn(String from) {
    SortedSet<String> left = new TreeSet<>(graph.targets(from));
    for (String to : graph.targets(from)) {
      left.removeAll(reached(to));
    }
    return left;
  }

  private SortedSet<String> reached(String from) {
    SortedSet<String> all = new TreeSet<>(graph.targets(from));
    graph.targets(from).forEach(to -> all.addAll(reached(to)));
    return all;
  }

  /** What a box uses, in as many lines as it takes. */
  private List<String> lines(String box) {
    String words =
        graph.targets(box).stream()
            .filter(to -> !to.equals(base))
            .map(to -> to.replace("dev.sluice.", ""))
            .collect(Collectors.joining(", "));
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String word : words.split(" ")) {
      if (line.length() + word.length() > LINE) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.length() == 0 ? "" : " ").append(word);
    }
    lines.add(line.toString());
    return lines;
  }
}
