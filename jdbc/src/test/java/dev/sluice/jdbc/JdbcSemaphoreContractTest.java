package dev.sluice.jdbc;

import dev.sluice.testkit.SemaphoreContract;
import dev.sluice.testkit.StoreUnderTest;
import org.junit.jupiter.api.Nested;

/** Semaphores on each database, side by side. */
class JdbcSemaphoreContractTest {

  @Nested
  class OnPostgresql extends SemaphoreContract {
    @Override
    protected StoreUnderTest openStore() {
      return new JdbcStore(Dialect.POSTGRESQL);
    }
  }

  @Nested
  class OnMariadb extends SemaphoreContract {
    @Override
    protected StoreUnderTest openStore() {
      return new JdbcStore(Dialect.MARIADB);
    }
  }

  @Nested
  class OnH2 extends SemaphoreContract {
    @Override
    protected StoreUnderTest openStore() {
      return new JdbcStore(Dialect.H2);
    }
  }

  @Nested
  class OnSqlite extends SemaphoreContract {
    @Override
    protected StoreUnderTest openStore() {
      return new JdbcStore(Dialect.SQLITE);
    }
  }
}
