package dev.sluice.bench.systems;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

/** The tables that the peers and the floors want to find. */
public final class PeerTables {
  private PeerTables() {}

  /** Creates those on PostgreSQL. */
  public static void onPostgresql(Connection connection) throws SQLException {
    ScriptUtils.executeSqlScript(
        connection,
        new ClassPathResource("org/springframework/integration/jdbc/schema-postgresql.sql"));
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE shedlock (name varchar(64) PRIMARY KEY, lock_until timestamp NOT NULL,"
              + " locked_at timestamp NOT NULL, locked_by varchar(255) NOT NULL)");
      statement.execute(
          "CREATE TABLE raw_lock (name text PRIMARY KEY, token bigint NOT NULL, owner text,"
              + " until timestamptz NOT NULL)");
    }
  }

  /** Creates that of the floor on SQLite, and makes the file one with a write-ahead log. */
  public static void onSqlite(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA journal_mode = WAL");
      statement.execute(
          "CREATE TABLE raw_lock (name TEXT PRIMARY KEY, token INTEGER NOT NULL,"
              + " held INTEGER NOT NULL) WITHOUT ROWID");
    }
  }
}
