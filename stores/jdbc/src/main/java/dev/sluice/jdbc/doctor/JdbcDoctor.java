package dev.sluice.jdbc.doctor;

import dev.sluice.Finding;
import dev.sluice.Finding.Severity;
import dev.sluice.jdbc.dialect.SqlDialect;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Looks for settings of a database that break a guarantee of Sluice. Changes nothing. */
public final class JdbcDoctor {
  private static final Duration MUCH = Duration.ofSeconds(1);
  private static final int SQLITE_FULL = 2;

  /** sslmode of PostgreSQL, sslMode of MariaDB and MySQL. */
  private static final Pattern SSL_MODE =
      Pattern.compile("[?&]sslmode=([^&]*)", Pattern.CASE_INSENSITIVE);

  /** With this value, the drivers of PostgreSQL and MariaDB verify the server. */
  private static final Pattern SSL =
      Pattern.compile("[?&]ssl(?:=true)?(?=&|$)", Pattern.CASE_INSENSITIVE);

  private static final Pattern TRUSTS_ALL =
      Pattern.compile(
          "[?&](?:trustServerCertificate=true|sslfactory=[^&]*NonValidatingFactory)",
          Pattern.CASE_INSENSITIVE);

  private static final Map<SqlDialect, String> TLS_IN_URL =
      Map.of(
          SqlDialect.POSTGRESQL,
          "ssl = on at the server, ?sslmode=verify-full&sslrootcert=FILE in the URL",
          SqlDialect.MARIADB,
          "ssl_cert and ssl_key at the server, ?sslMode=verify-full&serverSslCert=FILE in the URL");

  private final String where;
  private final SqlDialect dialect;
  private final Statement statement;
  private final String prefix;
  private final boolean makesTables;
  private final List<Finding> findings = new ArrayList<>();

  private JdbcDoctor(
      String where, SqlDialect dialect, Statement statement, String prefix, boolean makesTables) {
    this.where = where;
    this.dialect = dialect;
    this.statement = statement;
    this.prefix = prefix;
    this.makesTables = makesTables;
  }

  /**
   * Examines a database.
   *
   * @param where it is, for people
   * @param connection to it, which commits by itself
   * @param prefix of the tables
   * @param makesTables whether the first use makes the tables
   * @param seconds how long one answer may take
   * @return what was found
   * @throws SQLException if it does not answer
   */
  public static List<Finding> examine(
      String where, Connection connection, String prefix, boolean makesTables, int seconds)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      SqlDialect dialect = SqlDialect.of(connection);
      // on SQLite and H2 it would be a setting of the connection
      if (dialect != SqlDialect.SQLITE && dialect != SqlDialect.H2) {
        statement.setQueryTimeout(seconds);
      }
      JdbcDoctor doctor = new JdbcDoctor(where, dialect, statement, prefix, makesTables);
      String url = String.valueOf(connection.getMetaData().getURL());
      switch (dialect) {
        case POSTGRESQL -> doctor.postgresql(url);
        case MARIADB -> doctor.mariadb(url);
        case SQLITE -> doctor.sqlite();
        case H2 -> {}
      }
      doctor.tables();
      if (dialect != SqlDialect.SQLITE) {
        doctor.clock();
      }
      return doctor.findings;
    }
  }

  private void found(Severity severity, String id, String what, String risk, String fix) {
    findings.add(new Finding(severity, id, where, what, risk, fix));
  }

  private String ask(String query) throws SQLException {
    return ask(query, 1);
  }

  private String ask(String query, int column) throws SQLException {
    try (ResultSet rows = statement.executeQuery(query)) {
      return rows.next() ? String.valueOf(rows.getString(column)) : "";
    }
  }

  private void postgresql(String url) throws SQLException {
    boolean local =
        ask("SELECT coalesce(inet_client_addr() << '127.0.0.0/8' OR inet_client_addr() = '::1'"
                + " OR inet_client_addr() = inet_server_addr(), true)")
            .equals("t");
    boolean encrypted = ask("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()").equals("t");
    findings.addAll(transport(where, dialect, url, local, encrypted));
    if (ask("SELECT pg_is_in_recovery()").equals("t")) {
      found(
          Severity.ERROR,
          "replica",
          "this is a standby",
          "every grant is refused",
          "name the primary; the driver finds it with ?targetServerType=primary");
    } else if (ask("SHOW default_transaction_read_only").equals("on")) {
      readOnly("default_transaction_read_only is on", "SET default_transaction_read_only = off");
    }
    if (ask("SHOW fsync").equals("off")) {
      found(
          Severity.WARNING,
          "fsync",
          "fsync is off",
          "a crash of the machine forgets the last holders, or all data",
          "fsync = on in postgresql.conf");
    }
    String commit = ask("SHOW synchronous_commit");
    if (commit.equals("off")) {
      found(
          Severity.WARNING,
          "synchronous-commit",
          "synchronous_commit is off",
          "a crash of the server forgets the last holders, and others get their locks",
          "ALTER ROLE CURRENT_USER SET synchronous_commit = on");
    }
    boolean followed = !ask("SELECT count(*) FROM pg_stat_replication").equals("0");
    if (followed && (commit.equals("local") || ask("SHOW synchronous_standby_names").isEmpty())) {
      found(
          Severity.INFO,
          "asynchronous-standby",
          "a standby follows, and no commit waits for it",
          "a fail-over forgets the last holders; tokens grow all the same",
          "synchronous_standby_names = '*'");
    }
  }

  private void mariadb(String url) throws SQLException {
    boolean local =
        ask("SELECT substring_index(user(), '@', -1)").matches("localhost|127\\..*|::1|");
    boolean encrypted = !ask("SHOW SESSION STATUS LIKE 'Ssl_cipher'", 2).isEmpty();
    findings.addAll(transport(where, dialect, url, local, encrypted));
    if (!ask("SELECT @@read_only").matches("0|OFF")) {
      readOnly("read_only is on", "name the primary, or SET GLOBAL read_only = 0");
    }
    String flush = ask("SELECT @@innodb_flush_log_at_trx_commit");
    if (!flush.equals("1")) {
      found(
          Severity.WARNING,
          "flush-log",
          "innodb_flush_log_at_trx_commit is " + flush,
          "a crash forgets the holders of the last second, and others get their locks",
          "SET GLOBAL innodb_flush_log_at_trx_commit = 1");
    }
  }

  /**
   * Checks the connection to a remote server: whether the server reports encryption, and whether
   * the URL makes the driver verify the server's identity.
   */
  static List<Finding> transport(
      String where, SqlDialect dialect, String url, boolean local, boolean encrypted) {
    if (local) {
      return List.of();
    }
    if (!encrypted) {
      return List.of(
          new Finding(
              Severity.WARNING,
              "no-tls",
              where,
              "the server is on another machine, and this connection is not encrypted",
              "passwords and values can be read and changed on the network",
              TLS_IN_URL.getOrDefault(dialect, "")));
    }
    Matcher mode = SSL_MODE.matcher(url);
    boolean verified =
        mode.find()
            ? mode.group(1).toLowerCase(Locale.ROOT).startsWith("verify")
            : dialect != SqlDialect.POSTGRESQL || SSL.matcher(url).find();
    if (verified && !TRUSTS_ALL.matcher(url).find()) {
      return List.of();
    }
    return List.of(
        new Finding(
            Severity.WARNING,
            "tls-unverified",
            where,
            "the driver does not check the server's certificate",
            "an attacker on the network can impersonate the server",
            TLS_IN_URL.getOrDefault(dialect, "")));
  }

  private void readOnly(String what, String fix) {
    found(Severity.ERROR, "read-only", what, "every grant is refused", fix);
  }

  private void sqlite() throws SQLException {
    String journal = ask("PRAGMA journal_mode");
    if (!journal.equals("wal") && !journal.equals("memory") && !isEmpty()) {
      found(
          Severity.WARNING,
          "journal-mode",
          "journal_mode is " + journal,
          "readers and the writer keep each other waiting",
          "PRAGMA journal_mode = WAL, on a file system of this machine");
    }
    int synchronous = Integer.parseInt(ask("PRAGMA synchronous"));
    if (synchronous < SQLITE_FULL) {
      found(
          Severity.WARNING,
          "synchronous",
          "synchronous is "
              + (synchronous == 0 ? "OFF" : "NORMAL")
              + " for connections of this kind",
          "grants are written through all the same; what else is written may be lost with the power",
          "leave synchronous at FULL");
    }
  }

  private boolean isEmpty() throws SQLException {
    return ask("SELECT count(*) FROM sqlite_master").equals("0");
  }

  private void tables() throws SQLException {
    for (String table : List.of("locks", "states")) {
      try {
        ask("SELECT count(*) FROM " + prefix + table + " WHERE 1 = 0");
        if (dialect == SqlDialect.POSTGRESQL) {
          rights(prefix + table);
        }
      } catch (SQLException e) {
        if (dialect.isForbidden(e)) {
          lacks("SELECT", prefix + table);
        } else if (dialect.isMissingTable(e)) {
          missing(prefix + table);
          return;
        } else {
          throw e;
        }
      }
    }
  }

  private void missing(String table) {
    if (makesTables) {
      found(
          Severity.INFO,
          "no-tables-yet",
          "there is no table '" + table + "'",
          "nothing: the first use makes it",
          "use it");
    } else {
      found(
          Severity.ERROR,
          "tables",
          "there is no table '" + table + "'",
          "every call is refused",
          "put what 'sluice ddl' prints for the URL, JdbcBackend.ddl(url), into the migrations, or"
              + " createTables(true)");
    }
  }

  private void rights(String table) throws SQLException {
    for (String right : List.of("SELECT", "INSERT", "UPDATE", "DELETE")) {
      if (ask("SELECT has_table_privilege('" + table + "', '" + right + "')").equals("f")) {
        lacks(right, table);
      }
    }
  }

  private void lacks(String right, String table) {
    found(
        Severity.ERROR,
        "rights",
        "our user may not " + right + " in '" + table + "'",
        "calls are refused",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON " + table + " TO the user of Sluice");
  }

  /** A difference up to the duration of the request proves no clock skew. */
  private void clock() throws SQLException {
    Instant before = Instant.now();
    Instant theirs =
        Instant.EPOCH.plus(Long.parseLong(ask("SELECT " + dialect.now)), ChronoUnit.MICROS);
    Instant after = Instant.now();
    Duration behind = Duration.between(theirs, before);
    Duration ahead = Duration.between(after, theirs);
    Duration certain = behind.compareTo(ahead) > 0 ? behind : ahead;
    if (certain.compareTo(MUCH) > 0) {
      found(
          Severity.WARNING,
          "clock",
          "the database's clock is "
              + certain.toMillis()
              + " ms "
              + (certain.equals(ahead) ? "ahead of" : "behind")
              + " ours",
          "tokens look as if they were from another time; nothing else counts by our clock",
          "let both machines follow the same time servers");
    }
  }
}
