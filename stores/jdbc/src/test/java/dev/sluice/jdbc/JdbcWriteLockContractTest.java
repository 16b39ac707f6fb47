package dev.sluice.jdbc;

import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.WriteLockContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Write locks on each database; side by side, because the tests wait most of their time. */
@Tag("repeat")
class JdbcWriteLockContractTest {

  @Nested
  @Execution(CONCURRENT)
  @ResourceLock("Postgresql")
  class OnPostgresql extends WriteLockContract {
    @Override
    protected StoreUnderTest openStore() {
      return new JdbcStore(Dialect.POSTGRESQL);
    }
  }

  @Nested
  @Execution(CONCURRENT)
  @ResourceLock("Mariadb")
  class OnMariadb extends WriteLockContract {
    @Override
    protected StoreUnderTest openStore() {
      return new JdbcStore(Dialect.MARIADB);
    }
  }

  @Nested
  @Execution(CONCURRENT)
  @ResourceLock("H2")
  class OnH2 extends WriteLockContract {
    @Override
    protected StoreUnderTest openStore() {
      return new JdbcStore(Dialect.H2);
    }
  }

  @Nested
  @Execution(CONCURRENT)
  @ResourceLock("Sqlite")
  class OnSqlite extends WriteLockContract {
    @Override
    protected StoreUnderTest openStore() {
      return new JdbcStore(Dialect.SQLITE);
    }
  }
}
