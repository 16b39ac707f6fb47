package dev.sluice.jdbc;

import dev.sluice.spi.Secrets;
import java.util.List;
import java.util.Locale;

/** What a JDBC URL says. */
final class JdbcUrls {
  private static final List<String> PRODUCTS =
      List.of("postgresql", "mariadb", "mysql", "h2", "sqlite");

  private JdbcUrls() {}

  /** Refuses the URL of a database that Sluice does not speak to. */
  static String check(String url) {
    String lower = url.toLowerCase(Locale.ROOT);
    if (PRODUCTS.stream().noneMatch(product -> lower.startsWith("jdbc:" + product + ":"))) {
      throw new IllegalArgumentException(
          "url must start with jdbc: and one of "
              + String.join(", ", PRODUCTS)
              + ": "
              + place(url));
    }
    return url;
  }

  /** The URL without what may be a secret: user, password, and all options. */
  static String place(String url) {
    int end = url.length();
    for (char stop : new char[] {'?', ';', '&'}) {
      int at = url.indexOf(stop);
      end = at < 0 ? end : Math.min(end, at);
    }
    return Secrets.mask(url.substring(0, end));
  }

  private static boolean is(String url, String start) {
    return url.toLowerCase(Locale.ROOT).startsWith(start);
  }

  /** Whether nobody else is likely to look after the tables there. */
  static boolean isOursAlone(String url) {
    return is(url, "jdbc:sqlite:") || is(url, "jdbc:h2:mem:");
  }

  static Connections connections(String url) {
    return is(url, "jdbc:sqlite:")
        ? Connections.to(
            url,
            "PRAGMA busy_timeout = 1000",
            "PRAGMA journal_mode = WAL",
            "PRAGMA synchronous = FULL")
        : Connections.to(url);
  }
}
