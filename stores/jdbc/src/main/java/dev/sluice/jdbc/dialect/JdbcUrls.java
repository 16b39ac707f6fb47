package dev.sluice.jdbc.dialect;

import dev.sluice.text.Secrets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses JDBC URLs. */
public final class JdbcUrls {
  private static final List<String> PRODUCTS =
      List.of("postgresql", "mariadb", "mysql", "h2", "sqlite");

  private JdbcUrls() {}

  /** A misspelt {@code namespace}, which most drivers would ignore. No driver has such options. */
  private static final Pattern NEARLY_NAMESPACE =
      Pattern.compile("[?&;](n[a-z_-]*space|names[a-z_-]*)=", Pattern.CASE_INSENSITIVE);

  /**
   * Refuses the URL of a database that Sluice does not support, and an option that is nearly {@code
   * namespace}. Other options are for the driver.
   *
   * @param url without the option {@code namespace}
   */
  public static String check(String url) {
    String lower = url.toLowerCase(Locale.ROOT);
    if (PRODUCTS.stream().noneMatch(product -> lower.startsWith("jdbc:" + product + ":"))) {
      throw new IllegalArgumentException(
          "url must start with jdbc: and one of "
              + String.join(", ", PRODUCTS)
              + ": "
              + place(url));
    }
    Matcher nearly = NEARLY_NAMESPACE.matcher(url);
    if (nearly.find()) {
      throw new IllegalArgumentException(
          "an option of the URL must be spelled 'namespace', or have another name: '"
              + nearly.group(1)
              + "' of "
              + place(url));
    }
    return url;
  }

  /**
   * Returns the URL without possible secrets: user, password, and all options. If the password
   * can't be located, only the product is left.
   */
  public static String place(String url) {
    int end = url.length();
    for (char stop : new char[] {'?', ';', '&'}) {
      int at = url.indexOf(stop);
      end = at < 0 ? end : Math.min(end, at);
    }
    // an @ may belong to a password that has one of these, or to the value of an option
    boolean ambiguous = url.indexOf('@', end) >= 0;
    int slashes = url.indexOf("//");
    // MySQL and MariaDB: //address=(host=h)(user=u)(password=p)/db
    boolean parentheses = slashes >= 0 && url.indexOf('(', slashes) >= 0;
    if (ambiguous || parentheses) {
      for (String product : PRODUCTS) {
        if (is(url, "jdbc:" + product + ":")) {
          return "jdbc:" + product + ":***";
        }
      }
      return "***";
    }
    return Secrets.mask(url.substring(0, end));
  }

  /** Returns the database of a URL in lower case. */
  static String product(String url) {
    return check(url).toLowerCase(Locale.ROOT).split(":", 3)[1];
  }

  /** The dialect of a URL's database. */
  public static String driver(String url) {
    return switch (product(url)) {
      case "postgresql" -> "org.postgresql:postgresql";
      case "mariadb" -> "org.mariadb.jdbc:mariadb-java-client";
      case "mysql" -> "com.mysql:mysql-connector-j";
      case "h2" -> "com.h2database:h2";
      default -> "org.xerial:sqlite-jdbc";
    };
  }

  /** Whether a URL names a SQLite file that does not exist yet. */
  public static boolean isMissingFile(String url) {
    if (!is(url, "jdbc:sqlite:")) {
      return false;
    }
    String file = url.substring("jdbc:sqlite:".length()).split("\\?", 2)[0];
    // what begins with a colon is memory or a resource; file: is a URI of SQLite's own
    return !file.isEmpty()
        && !file.startsWith(":")
        && !file.startsWith("file:")
        && !Files.exists(Path.of(file));
  }

  public static boolean is(String url, String start) {
    return url.toLowerCase(Locale.ROOT).startsWith(start);
  }

  /** Whether the tables are probably not managed by an administrator. */
  public static boolean isOursAlone(String url) {
    return is(url, "jdbc:sqlite:") || is(url, "jdbc:h2:mem:");
  }

  /**
   * The driver's timeout for connecting, logging in and reading, unless the URL sets one. By itself
   * PostgreSQL's driver waits for ever for a server that accepts and is silent, MariaDB's 30 s.
   *
   * @param url where to
   * @param longest the limit of each
   * @return properties for the driver
   */
  public static Properties limits(String url, Duration longest) {
    Properties limits = new Properties();
    long millis = longest.toMillis();
    long seconds = Math.max(1, (millis + 999) / 1000);
    if (is(url, "jdbc:postgresql:")) {
      limit(limits, url, "connectTimeout", seconds);
      limit(limits, url, "socketTimeout", seconds);
      limit(limits, url, "cancelSignalTimeout", seconds);
      // of all hosts together; each may be the first one that answers
      limit(limits, url, "loginTimeout", seconds * hosts(url));
    } else if (is(url, "jdbc:mariadb:") || is(url, "jdbc:mysql:")) {
      limit(limits, url, "connectTimeout", Math.max(1, millis));
      limit(limits, url, "socketTimeout", Math.max(1, millis));
    }
    return limits;
  }

  private static void limit(Properties limits, String url, String name, long value) {
    if (!url.toLowerCase(Locale.ROOT).contains(name.toLowerCase(Locale.ROOT) + "=")) {
      limits.setProperty(name, Long.toString(value));
    }
  }

  private static long hosts(String url) {
    int slashes = url.indexOf("//");
    int end = url.indexOf('/', slashes + 2);
    String hosts = slashes < 0 ? "" : url.substring(slashes, end < 0 ? url.length() : end);
    return 1 + hosts.chars().filter(c -> c == ',').count();
  }
}
