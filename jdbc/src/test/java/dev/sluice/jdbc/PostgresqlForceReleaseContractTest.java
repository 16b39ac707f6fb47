package dev.sluice.jdbc;

import dev.sluice.testkit.ForceReleaseContract;
import dev.sluice.testkit.StoreUnderTest;

class PostgresqlForceReleaseContractTest extends ForceReleaseContract {
  @Override
  protected StoreUnderTest openStore() {
    return new JdbcStore(Dialect.POSTGRESQL);
  }
}
