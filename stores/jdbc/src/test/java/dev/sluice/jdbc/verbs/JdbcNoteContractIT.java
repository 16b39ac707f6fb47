package dev.sluice.jdbc.verbs;

import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.sluice.jdbc.Dialect;
import dev.sluice.jdbc.JdbcStoreUnderTest;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.Notes;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.limit.PolicyBooks;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Notes on each database, side by side. */
class JdbcNoteContractIT {

  abstract static class Promises extends ContractFixture implements Notes, PolicyBooks {}

  @Nested
  @Execution(CONCURRENT)
  @ResourceLock("Postgresql")
  class OnPostgresql extends Promises {
    @Override
    protected StoreUnderTest openStore() {
      return new JdbcStoreUnderTest(Dialect.POSTGRESQL);
    }
  }

  @Nested
  @Execution(CONCURRENT)
  @ResourceLock("Mariadb")
  class OnMariadb extends Promises {
    @Override
    protected StoreUnderTest openStore() {
      return new JdbcStoreUnderTest(Dialect.MARIADB);
    }
  }

  @Nested
  @Execution(CONCURRENT)
  @ResourceLock("H2")
  class OnH2 extends Promises {
    @Override
    protected StoreUnderTest openStore() {
      return new JdbcStoreUnderTest(Dialect.H2);
    }
  }

  @Nested
  @Execution(CONCURRENT)
  @ResourceLock("Sqlite")
  class OnSqlite extends Promises {
    @Override
    protected StoreUnderTest openStore() {
      return new JdbcStoreUnderTest(Dialect.SQLITE);
    }
  }
}
