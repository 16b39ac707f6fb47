package dev.sluice.jdbc;

import dev.sluice.testkit.ForceReleaseContract;
import dev.sluice.testkit.StoreUnderTest;

class MariadbForceReleaseContractTest extends ForceReleaseContract {
  @Override
  protected StoreUnderTest openStore() {
    return new JdbcStore(Dialect.MARIADB);
  }
}
