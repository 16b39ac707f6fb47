package dev.sluice.jdbc;

import dev.sluice.testkit.ElectionContract;
import dev.sluice.testkit.StoreUnderTest;

class H2ElectionContractTest extends ElectionContract {
  @Override
  protected StoreUnderTest openStore() {
    return new JdbcStore(Dialect.H2);
  }
}
