package dev.sluice.jdbc.verbs;

import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.sluice.jdbc.Dialect;
import dev.sluice.jdbc.JdbcStoreUnderTest;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.lock.Exclusion;
import dev.sluice.testkit.lock.Fencing;
import dev.sluice.testkit.lock.GivingUp;
import dev.sluice.testkit.lock.HandOff;
import dev.sluice.testkit.lock.Leases;
import dev.sluice.testkit.lock.OwnGrant;
import dev.sluice.testkit.lock.Queueing;
import dev.sluice.testkit.lock.Reentrancy;
import dev.sluice.testkit.lock.UnknownOutcomes;
import dev.sluice.testkit.lock.Waiting;
import dev.sluice.testkit.lock.WriteSide;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Write locks on each database, side by side. */
@Tag("full")
class JdbcWriteLockContractIT {

  abstract static class Promises extends ContractFixture
      implements WriteSide,
          Exclusion,
          Fencing,
          OwnGrant,
          Leases,
          UnknownOutcomes,
          Waiting,
          GivingUp,
          HandOff,
          Reentrancy,
          Queueing {}

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
