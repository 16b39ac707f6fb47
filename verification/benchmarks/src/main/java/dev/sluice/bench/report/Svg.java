package dev.sluice.bench.report;

import java.util.Locale;

/**
 * A drawing as text. Readable on light and dark pages: it brings its own ground and follows the
 * reader's preference.
 */
public final class Svg {
  private static final String STYLE =
      """
      .ground{fill:#fff}.ink{fill:#1f2328}.soft{fill:#59636e}.grid{stroke:#d1d9e0}
      @media (prefers-color-scheme:dark){.ground{fill:#0d1117}.ink{fill:#f0f6fc}
      .soft{fill:#9198a1}.grid{stroke:#3d444d}}
      text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;font-size:12px}
      .title{font-size:16px;font-weight:600}.group{font-weight:600}
      """;

  private final StringBuilder out = new StringBuilder();

  /**
   * Begins a drawing with its ground and its heading.
   *
   * @param style more classes, in CSS
   */
  public Svg(int width, int height, String style, String title, String subtitle) {
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\""
            + " height=\"%d\" role=\"img\">\n",
        width, height, width, height);
    out.append("<title>").append(escape(title)).append("</title>\n");
    out.append("<style>\n").append(STYLE).append(style).append("</style>\n");
    add("<rect class=\"ground\" width=\"%d\" height=\"%d\"/>\n", width, height);
    text("ink title", 16, 26, "start", title);
    text("soft", 16, 46, "start", subtitle);
  }

  /** Adds markup; numbers are written alike on every machine. */
  public void add(String pattern, Object... values) {
    out.append(String.format(Locale.ROOT, pattern, values));
  }

  /** Adds a straight line. */
  public void line(String style, double x1, double y1, double x2, double y2) {
    add(
        "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
        style, x1, y1, x2, y2);
  }

  /** Adds a rectangle. */
  public void rect(String style, double x, double y, double width, double height) {
    add(
        "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
        style, x, y, width, height);
  }

  /**
   * Adds a line of text.
   *
   * @param anchor start, middle or end
   */
  public void text(String style, double x, double y, String anchor, String text) {
    add(
        "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n",
        style, x, y, anchor, escape(text));
  }

  /** {@return the drawing as a file} */
  public String end() {
    return out.append("</svg>\n").toString();
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
