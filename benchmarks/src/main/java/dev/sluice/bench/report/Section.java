package dev.sluice.bench.report;

import java.util.List;

/**
 * What a run has found out about one workload.
 *
 * @param id short name, as {@code --only} takes it
 * @param title heading
 * @param meaning what is measured, in a sentence or two
 * @param floor contestant that the others are compared with, or empty
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

  /** {@return the numbers as a table} */
  public String table() {
    boolean compared = !floor.isEmpty() && results.contestants().contains(floor);
    String[] head = new String[1 + columns.size() + (compared ? 1 : 0)];
    fill(head, compared, "system", "x floor", Metric::title);
    Table table = new Table(head);
    for (String contestant : results.contestants()) {
      String[] row = new String[head.length];
      String ratio =
          compared ? Numbers.plain(results.ratio(contestant, floor, Metric.OPS).median()) : "";
      fill(
          row,
          compared,
          contestant,
          ratio,
          metric -> {
            Spread spread = results.of(contestant, metric);
            return metric == Metric.OPS ? Numbers.spread(spread) : Numbers.plain(spread.median());
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
    Table table = new Table("goal", "target", "this run", "met");
    for (Goal goal : goals) {
      table.row(goal.text(), goal.target(), goal.result(), verdict(goal));
    }
    return table.toString();
  }
}
