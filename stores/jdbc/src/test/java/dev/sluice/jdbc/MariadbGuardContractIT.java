package dev.sluice.jdbc;

class MariadbGuardContractIT extends JdbcGuardContract {
  MariadbGuardContractIT() {
    super(Dialect.MARIADB);
  }
}
