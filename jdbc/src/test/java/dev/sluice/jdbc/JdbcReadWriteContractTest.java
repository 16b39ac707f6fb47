package dev.sluice.jdbc;

import dev.sluice.testkit.ReadWriteContract;
import dev.sluice.testkit.StoreUnderTest;
import org.junit.jupiter.api.Nested;

/** Read-write locks on each database, side by side. */
class JdbcReadWriteContractTest {

  @Nested
  class OnPostgresql extends ReadWriteContract {
    @Override
    protected StoreUnderTest openStore() {
      return new JdbcStore(Dialect.POSTGRESQL);
    }
  }

  @Nested
  class OnMariadb extends ReadWriteContract {
    @Override
    protected StoreUnderTest openStore() {
      return new JdbcStore(Dialect.MARIADB);
    }
  }

  @Nested
  class OnH2 extends ReadWriteContract {
    @Override
    protected StoreUnderTest openStore() {
      return new JdbcStore(Dialect.H2);
    }
  }

  @Nested
  class OnSqlite extends ReadWriteContract {
    @Override
    protected StoreUnderTest openStore() {
      return new JdbcStore(Dialect.SQLITE);
    }
  }
}
