package dev.sluice.jdbc;

import dev.sluice.testkit.LatchContract;
import dev.sluice.testkit.StoreUnderTest;
import org.junit.jupiter.api.Nested;

/** Latches on each database, side by side. */
class JdbcLatchContractTest {

  @Nested
  class OnPostgresql extends LatchContract {
    @Override
    protected StoreUnderTest openStore() {
      return new JdbcStore(Dialect.POSTGRESQL);
    }
  }

  @Nested
  class OnMariadb extends LatchContract {
    @Override
    protected StoreUnderTest openStore() {
      return new JdbcStore(Dialect.MARIADB);
    }
  }

  @Nested
  class OnH2 extends LatchContract {
    @Override
    protected StoreUnderTest openStore() {
      return new JdbcStore(Dialect.H2);
    }
  }

  @Nested
  class OnSqlite extends LatchContract {
    @Override
    protected StoreUnderTest openStore() {
      return new JdbcStore(Dialect.SQLITE);
    }
  }
}
