package dev.sluice.spring.internal;

import dev.sluice.BackendException;
import dev.sluice.text.Secrets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The {@code Sluice} bean cannot be created; the text has the reason, and the action has the fix.
 *
 * @since 0.1
 */
public final class SluiceStartException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private static final Pattern LOCAL_REDIS =
      Pattern.compile("^redis://(?:[^@/]*@)?(?:localhost|127\\.0\\.0\\.1)(?::(\\d+))?(?:/|$)");

  private static final Pattern JDBC = Pattern.compile("^(?i)jdbc:(?:[a-z0-9]+:)?");

  private final String action;

  public SluiceStartException(String what, String action) {
    this(what, action, null);
  }

  private SluiceStartException(String what, String action, @Nullable Throwable cause) {
    super(what, cause);
    this.action = action;
  }

  String action() {
    return action;
  }

  /** The store of {@code sluice.url} could not be opened. */
  public static SluiceStartException ofUrl(String url, Throwable cause) {
    String where = shown(url);
    String reason = String.valueOf(cause.getMessage());
    if (cause instanceof BackendException) {
      if (isAboutTables(reason)) {
        return new SluiceStartException(
            "No tables at %s: %s".formatted(where, reason),
            "Put these" + " statements into the migrations of that database.",
            cause);
      }
      return new SluiceStartException(
          "No store answers at %s: %s".formatted(where, reason),
          howToStart(where)
              + "set sluice.url to a running one, or set sluice.url=memory: to try without a"
              + " server (one JVM only).",
          cause);
    }
    return new SluiceStartException(
        "No Sluice client for '%s': %s".formatted(where, reason), remedy(where, reason), cause);
  }

  /** Shows only the product of a JDBC URL, because each driver has its own places for passwords. */
  private static String shown(String url) {
    Matcher jdbc = JDBC.matcher(url);
    return jdbc.find() ? jdbc.group() + "..." : Secrets.mask(url);
  }

  private static String howToStart(String where) {
    Matcher redis = LOCAL_REDIS.matcher(where);
    return redis.find()
        ? "Start it (redis-server --port "
            + (redis.group(1) == null ? 6379 : redis.group(1))
            + "), "
        : "Start it, ";
  }

  private static String remedy(String where, String reason) {
    if (reason.startsWith("no driver for")) {
      return "Add the JDBC driver named above to the class path.";
    }
    String scheme = where.substring(0, Math.max(0, where.indexOf(':'))).toLowerCase(Locale.ROOT);
    if (reason.startsWith("no backend for")) {
      String module =
          scheme.startsWith("redis")
              ? "sluice-redis"
              : scheme.equals("jdbc") || scheme.equals("zookeeper") ? "sluice-" + scheme : "";
      if (!module.isEmpty()) {
        return "Add dev.sluice:" + module + " to the class path.";
      }
    }
    return "Correct the settings under sluice.*; sluice.url names a store that a module on the"
        + " class path opens, such as memory: or redis://localhost:6379 (sluice-redis).";
  }

  /** The Redis of {@code spring.data.redis} cannot be used. */
  public static SluiceStartException ofRedis(Throwable cause) {
    return new SluiceStartException(
        "Sluice has no store: " + cause.getMessage(),
        "Start it, correct spring.data.redis.*, or name another store by sluice.url or"
            + " sluice.store.",
        cause);
  }

  /** The application's DataSource cannot be used. */
  public static SluiceStartException ofDataSource(Throwable cause) {
    String reason = String.valueOf(cause.getMessage());
    return isAboutTables(reason)
        ? new SluiceStartException(
            "The application's database lacks the tables of Sluice: " + reason,
            "Put these statements into your migrations, or let Sluice make the tables:"
                + " sluice.jdbc.initialize-schema=always.",
            cause)
        : new SluiceStartException(
            "Sluice has no store on the application's DataSource: " + reason,
            "Correct spring.datasource.* or sluice.jdbc.*, or name another store by sluice.url or"
                + " sluice.store.",
            cause);
  }

  private static boolean isAboutTables(String reason) {
    return reason.startsWith("a table ") && reason.contains(" is missing");
  }

  /** The remaining settings contradict each other. */
  public static SluiceStartException ofSettings(IllegalArgumentException cause) {
    return new SluiceStartException(
        "No Sluice client: " + cause.getMessage(), "Correct the settings under sluice.*.", cause);
  }
}
