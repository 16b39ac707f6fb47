package dev.sluice.jdbc;

import static java.util.Objects.requireNonNull;

import dev.sluice.jdbc.dialect.JdbcUrls;
import dev.sluice.jdbc.rows.Connections;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.Namespace;
import java.time.Duration;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a {@link JdbcBackend}: one database, and how. Not safe for use by several threads.
 *
 * @since 0.1
 */
public final class JdbcBackendBuilder {
  private static final Pattern PREFIX_RULE =
      Pattern.compile("([A-Za-z_][A-Za-z0-9_]{0,62}\\.)?[A-Za-z_][A-Za-z0-9_]{0,31}");
  private static final int MAX_THREADS = 256;

  /** PostgreSQL truncates longer names, and the longest suffix has 6 letters. */
  private static final int MAX_OF_A_PREFIX = 63 - 6;

  private @Nullable String url;
  private @Nullable String urlNamespace;
  private @Nullable DataSource source;
  private Duration requestTimeout = Duration.ofSeconds(2);
  private String tablePrefix = JdbcBackend.PREFIX;
  private @Nullable String namespace;
  @Nullable Boolean createTables;
  RowLocking rowLocking = RowLocking.OPTIMISTIC;
  boolean wakeUps = true;
  int threads = 8;

  JdbcBackendBuilder() {}

  /**
   * Connects through the application's pool or other {@code DataSource}. Connections are used
   * briefly, and returned in the state in which they came.
   *
   * @param source of the application, which closes it
   * @return this
   */
  public JdbcBackendBuilder dataSource(DataSource source) {
    this.source = requireNonNull(source, "source must not be null");
    return this;
  }

  /**
   * Connects by URL, with separate connections: at most one for each thread, and one for
   * notifications.
   *
   * @param url as the driver reads it, with one of the schemes {@code jdbc:postgresql:}, {@code
   *     jdbc:mariadb:}, {@code jdbc:mysql:}, {@code jdbc:h2:} and {@code jdbc:sqlite:}; its option
   *     {@code namespace}, which the driver does not get, is as {@link #namespace}
   * @return this
   */
  public JdbcBackendBuilder url(String url) {
    requireNonNull(url, "url must not be null");
    this.urlNamespace = Namespace.of(url);
    this.url = JdbcUrls.check(Namespace.without(url));
    return this;
  }

  /**
   * Bounds each request (default: 2 s). It counts the wait for a connection, too.
   *
   * @param longest 1 ms to one day
   * @return this
   */
  public JdbcBackendBuilder requestTimeout(Duration longest) {
    this.requestTimeout = new BackendSettings(longest).requestTimeout();
    return this;
  }

  /**
   * The prefix of all table names, such as a schema or a prefix that your database requires
   * (default: {@value JdbcBackend#PREFIX}). To keep applications apart, use {@link #namespace}.
   *
   * @param prefix 1 to 32 letters, digits and underscores, with a schema and a dot in front if need
   *     be
   * @return this
   * @throws IllegalArgumentException if it is not of that kind
   */
  public JdbcBackendBuilder tablePrefix(String prefix) {
    requireNonNull(prefix, "prefix must not be null");
    if (!PREFIX_RULE.matcher(prefix).matches()) {
      throw new IllegalArgumentException(
          "tablePrefix must be 1 to 32 letters, digits and '_', perhaps after a schema and a dot: '"
              + prefix
              + "'");
    }
    this.tablePrefix = prefix;
    return this;
  }

  /**
   * Separates this backend from other data in the database: in the namespace {@code shop-staging},
   * its tables are named {@code sluice_shop_staging_locks} and so on.
   *
   * @param namespace 1 to 32 lowercase letters, digits and hyphens; comes before what a URL says
   * @return this
   * @throws IllegalArgumentException if it breaks the rule
   */
  public JdbcBackendBuilder namespace(String namespace) {
    this.namespace = Namespace.check(namespace);
    return this;
  }

  @Nullable String namespace() {
    return namespace == null ? urlNamespace : namespace;
  }

  /** The prefix of table names, including the namespace. */
  String prefix() {
    String prefix = prefix(tablePrefix, namespace());
    if (prefix.length() - prefix.indexOf('.') - 1 > MAX_OF_A_PREFIX) {
      throw new IllegalArgumentException(
          "tablePrefix and namespace must be short enough for names of tables, together at most "
              + (MAX_OF_A_PREFIX - 1)
              + " characters: '"
              + tablePrefix
              + "', '"
              + namespace()
              + "'");
    }
    return prefix;
  }

  /** A namespace has hyphens and no underscores, so two namespaces stay different. */
  static String prefix(String tablePrefix, @Nullable String namespace) {
    return namespace == null ? tablePrefix : tablePrefix + namespace.replace('-', '_') + "_";
  }

  /**
   * Creates missing tables, or not (default: in SQLite, and in an H2 database in memory that a URL
   * names). Elsewhere, migrations create them by {@link JdbcBackend#ddl}.
   *
   * @param create true to create them
   * @return this
   */
  public JdbcBackendBuilder createTables(boolean create) {
    this.createTables = create;
    return this;
  }

  /**
   * The locking of rows (default: {@link RowLocking#OPTIMISTIC}). SQLite has its own way. Processes
   * may differ.
   *
   * @param locking the way
   * @return this
   */
  public JdbcBackendBuilder rowLocking(RowLocking locking) {
    this.rowLocking = requireNonNull(locking, "locking must not be null");
    return this;
  }

  /**
   * Uses notifications of PostgreSQL, or not, which take a connection while something is held or
   * waited for (default: yes). Without it, and on other databases, one query looks after all that
   * this process waits for, 10 to 50 times a second.
   *
   * @param wake true to wait for notifications
   * @return this
   */
  public JdbcBackendBuilder wakeUps(boolean wake) {
    this.wakeUps = wake;
    return this;
  }

  /**
   * The number of requests that may run concurrently, each with one connection (default: 8).
   *
   * @param threads 1 to 256
   * @return this
   */
  public JdbcBackendBuilder threads(int threads) {
    if (threads < 1 || threads > MAX_THREADS) {
      throw new IllegalArgumentException("threads must be 1 to " + MAX_THREADS + ": " + threads);
    }
    this.threads = threads;
    return this;
  }

  /**
   * Connects.
   *
   * @return an open backend
   * @throws IllegalStateException unless either a url or a dataSource was given
   * @throws IllegalArgumentException if tablePrefix and namespace are too long together
   * @throws UnsupportedOperationException if it is a database that Sluice does not support to
   * @throws dev.sluice.BackendException if it does not answer, or the tables are missing
   */
  public JdbcBackend build() {
    if ((url == null) == (source == null)) {
      throw new IllegalStateException("exactly one of url and dataSource must be set");
    }
    prefix(); // refused before anything is asked
    if (createTables == null) {
      createTables = url != null && JdbcUrls.isOursAlone(url);
    }
    Connections connections =
        url != null ? Connections.to(url, requestTimeout) : Connections.of(requireNonNull(source));
    return JdbcBackend.open(connections, this, requestTimeout);
  }
}
