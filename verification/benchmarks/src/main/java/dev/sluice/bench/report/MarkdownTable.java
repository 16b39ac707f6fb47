package dev.sluice.bench.report;

import java.util.ArrayList;
import java.util.List;

/** A Markdown table, padded so that it reads well in a terminal too. */
public final class MarkdownTable {
  private final List<String[]> rows = new ArrayList<>();

  public MarkdownTable(String... head) {
    rows.add(head);
  }

  /** Adds a row as wide as the head. */
  public MarkdownTable row(String... cells) {
    if (cells.length != rows.get(0).length) {
      throw new IllegalArgumentException(
          "row has " + cells.length + " cells, head has " + rows.get(0).length);
    }
    rows.add(cells);
    return this;
  }

  @Override
  public String toString() {
    int columns = rows.get(0).length;
    int[] widths = new int[columns];
    for (String[] row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(Math.max(widths[i], 3), row[i].length());
      }
    }
    StringBuilder out = new StringBuilder();
    for (int r = 0; r < rows.size(); r++) {
      for (int i = 0; i < columns; i++) {
        out.append(i == 0 ? "| " : " | ").append(rows.get(r)[i]);
        out.append(" ".repeat(widths[i] - rows.get(r)[i].length()));
      }
      out.append(" |\n");
      if (r == 0) {
        for (int width : widths) {
          out.append('|').append("-".repeat(width + 2));
        }
        out.append("|\n");
      }
    }
    return out.toString();
  }
}
