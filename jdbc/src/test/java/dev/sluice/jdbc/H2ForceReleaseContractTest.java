package dev.sluice.jdbc;

import dev.sluice.testkit.ForceReleaseContract;
import dev.sluice.testkit.StoreUnderTest;

class H2ForceReleaseContractTest extends ForceReleaseContract {
  @Override
  protected StoreUnderTest openStore() {
    return new JdbcStore(Dialect.H2);
  }
}
