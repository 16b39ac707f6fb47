package dev.sluice.jdbc;

import dev.sluice.testkit.ForceReleaseContract;
import dev.sluice.testkit.StoreUnderTest;

class SqliteForceReleaseContractTest extends ForceReleaseContract {
  @Override
  protected StoreUnderTest openStore() {
    return new JdbcStore(Dialect.SQLITE);
  }
}
