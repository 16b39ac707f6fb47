package dev.sluice.jdbc;

class SqliteGuardContractTest extends JdbcGuardContract {
  SqliteGuardContractTest() {
    super(Dialect.SQLITE);
  }
}
