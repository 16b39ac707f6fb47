package dev.sluice.jdbc;

class PostgresqlGuardContractIT extends JdbcGuardContract {
  PostgresqlGuardContractIT() {
    super(Dialect.POSTGRESQL);
  }
}
