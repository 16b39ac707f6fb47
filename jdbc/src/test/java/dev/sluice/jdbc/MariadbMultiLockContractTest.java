package dev.sluice.jdbc;

import dev.sluice.testkit.MultiLockContract;
import dev.sluice.testkit.StoreUnderTest;

class MariadbMultiLockContractTest extends MultiLockContract {
  @Override
  protected StoreUnderTest openStore() {
    return new JdbcStore(Dialect.MARIADB);
  }
}
