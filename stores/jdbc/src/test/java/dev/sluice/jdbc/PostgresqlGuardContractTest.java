package dev.sluice.jdbc;

class PostgresqlGuardContractTest extends JdbcGuardContract {
  PostgresqlGuardContractTest() {
    super(Dialect.POSTGRESQL);
  }
}
