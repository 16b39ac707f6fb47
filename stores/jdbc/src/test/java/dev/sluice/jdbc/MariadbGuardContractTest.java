package dev.sluice.jdbc;

class MariadbGuardContractTest extends JdbcGuardContract {
  MariadbGuardContractTest() {
    super(Dialect.MARIADB);
  }
}
