package dev.sluice.jdbc;

class H2GuardContractTest extends JdbcGuardContract {
  H2GuardContractTest() {
    super(Dialect.H2);
  }
}
