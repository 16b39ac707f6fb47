/** Guards that check fencing tokens in the transactions of a SQL database. */
module dev.sluice.jdbc {
  requires transitive dev.sluice.core;
  requires transitive java.sql;
  requires static org.jspecify;

  exports dev.sluice.jdbc;
}
