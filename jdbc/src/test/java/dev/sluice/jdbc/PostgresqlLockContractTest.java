package dev.sluice.jdbc;

import dev.sluice.testkit.LockContract;
import dev.sluice.testkit.StoreUnderTest;

class PostgresqlLockContractTest extends LockContract {
  @Override
  protected StoreUnderTest openStore() {
    return new JdbcStore(Dialect.POSTGRESQL);
  }
}
