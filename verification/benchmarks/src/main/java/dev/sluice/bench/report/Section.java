package dev.sluice.bench.report;

import java.util.ArrayList;
import java.util.List;

/**
 * The results of a run for one workload.
 *
 * @param id short name, as {@code --only} takes it
 * @param title heading
 * @param meaning what is measured, in a sentence or two
 * @param floor label of the row that the others are compared with, or empty
 * @param columns metrics of the table
 * @param charted whether the chart shows its rate
 */
public record Section(
    String id,
    String title,
    String meaning,
    String floor,
    List<Metric> columns,
    boolean charted,
    Results results,
    List<Goal> goals) {
  /** Counts per operation or name, which are the same on every machine. */
  private static final List<Metric> COUNTS =
      List.of(Metric.SENT, Metric.EXECUTED, Metric.BYTES, Metric.ALLOCATED);

  /** {@return whether a row is Sluice's, in any way of use} */
  static boolean isOurs(String label) {
    return label.startsWith("sluice");
  }

  /** {@return how we compare with everybody else, by what the table shows} */
  public List<Ratio> ratios() {
    List<Ratio> all = new ArrayList<>();
    for (String ours : results.labels()) {
      if (!isOurs(ours)) {
        continue;
      }
      for (String other : results.labels()) {
        if (isOurs(other)) {
          continue;
        }
        if (columns.contains(Metric.OPS)) {
          all.add(Ratio.rate(id, ours, other, results.ratio(ours, other, Metric.OPS)));
        } else if (columns.contains(Metric.WAIT_P50)) {
          all.add(Ratio.wait(id, ours, other, results.ratio(ours, other, Metric.WAIT_P50)));
        }
      }
      for (Metric count : COUNTS) {
        if (columns.contains(count)) {
          all.add(new Ratio(id, ours, count.title(), results.of(ours, count)));
        }
      }
    }
    all.removeIf(ratio -> !ratio.value().isKnown() || Double.isInfinite(ratio.value().most()));
    return all;
  }

  /** {@return the numbers as a table} */
  public String table() {
    boolean compared = !floor.isEmpty() && results.labels().contains(floor);
    String[] head = new String[1 + columns.size() + (compared ? 1 : 0)];
    fill(head, compared, "system", "x floor", Metric::title);
    MarkdownTable table = new MarkdownTable(head);
    for (String label : results.labels()) {
      String[] row = new String[head.length];
      String ratio =
          compared ? ReadableNumbers.plain(results.ratio(label, floor, Metric.OPS).median()) : "";
      fill(
          row,
          compared,
          label,
          ratio,
          metric -> {
            Spread spread = results.of(label, metric);
            return metric == Metric.OPS
                ? ReadableNumbers.spread(spread)
                : ReadableNumbers.plain(spread.median());
          });
      table.row(row);
    }
    return table.toString();
  }

  private static String verdict(Goal goal) {
    if (!goal.measured().isKnown()) {
      return "not measured";
    }
    return goal.met() ? "yes" : "NO";
  }

  private interface Cell {
    String of(Metric metric);
  }

  private void fill(String[] cells, boolean compared, String first, String ratio, Cell cell) {
    int at = 0;
    cells[at++] = first;
    for (int i = 0; i < columns.size(); i++) {
      cells[at++] = cell.of(columns.get(i));
      if (i == 0 && compared) {
        cells[at++] = ratio;
      }
    }
  }

  /** {@return the goals as a table, or an empty text} */
  public static String goalTable(List<Goal> goals) {
    if (goals.isEmpty()) {
      return "";
    }
    MarkdownTable table = new MarkdownTable("goal", "target", "this run", "met");
    for (Goal goal : goals) {
      table.row(goal.text(), goal.target(), goal.result(), verdict(goal));
    }
    return table.toString();
  }

  /** {@return what was measured for the goals as a table, or an empty text} */
  public static String summaryTable(List<Goal> goals) {
    if (goals.isEmpty()) {
      return "";
    }
    MarkdownTable table = new MarkdownTable("measure", "this run");
    for (Goal goal : goals) {
      table.row(goal.text(), goal.measured().isKnown() ? goal.result() : "not measured");
    }
    return table.toString();
  }
}
