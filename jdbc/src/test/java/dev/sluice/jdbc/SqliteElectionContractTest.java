package dev.sluice.jdbc;

import dev.sluice.testkit.ElectionContract;
import dev.sluice.testkit.StoreUnderTest;

class SqliteElectionContractTest extends ElectionContract {
  @Override
  protected StoreUnderTest openStore() {
    return new JdbcStore(Dialect.SQLITE);
  }
}
