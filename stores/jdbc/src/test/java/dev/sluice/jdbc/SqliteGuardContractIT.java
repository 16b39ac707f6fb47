package dev.sluice.jdbc;

class SqliteGuardContractIT extends JdbcGuardContract {
  SqliteGuardContractIT() {
    super(Dialect.SQLITE);
  }
}
