package dev.sluice.jdbc;

import dev.sluice.testkit.LockContract;
import dev.sluice.testkit.StoreUnderTest;

class H2LockContractTest extends LockContract {
  @Override
  protected StoreUnderTest openStore() {
    return new JdbcStore(Dialect.H2);
  }
}
