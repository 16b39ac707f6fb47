package dev.sluice.jdbc;

class H2GuardContractIT extends JdbcGuardContract {
  H2GuardContractIT() {
    super(Dialect.H2);
  }
}
