/** Sluice on a SQL database, and guards that check fencing tokens in its transactions. */
module dev.sluice.jdbc {
  requires transitive dev.sluice.core;
  requires transitive java.sql;
  requires static org.jspecify;

  exports dev.sluice.jdbc;

  provides dev.sluice.spi.BackendProvider with
      dev.sluice.jdbc.JdbcBackendProvider;
}
