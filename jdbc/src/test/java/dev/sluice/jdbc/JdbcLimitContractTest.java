package dev.sluice.jdbc;

import dev.sluice.testkit.LimitContract;
import dev.sluice.testkit.StoreUnderTest;
import org.junit.jupiter.api.Nested;

/** Limits on each database, side by side. */
class JdbcLimitContractTest {

  @Nested
  class OnPostgresql extends LimitContract {
    @Override
    protected StoreUnderTest openStore() {
      return new JdbcStore(Dialect.POSTGRESQL);
    }
  }

  @Nested
  class OnMariadb extends LimitContract {
    @Override
    protected StoreUnderTest openStore() {
      return new JdbcStore(Dialect.MARIADB);
    }
  }

  @Nested
  class OnH2 extends LimitContract {
    @Override
    protected StoreUnderTest openStore() {
      return new JdbcStore(Dialect.H2);
    }
  }

  @Nested
  class OnSqlite extends LimitContract {
    @Override
    protected StoreUnderTest openStore() {
      return new JdbcStore(Dialect.SQLITE);
    }
  }
}
