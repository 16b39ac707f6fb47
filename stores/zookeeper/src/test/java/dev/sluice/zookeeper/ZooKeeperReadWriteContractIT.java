package dev.sluice.zookeeper;

import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.lock.ReadWriteLocks;
import org.junit.jupiter.api.parallel.Execution;

@Execution(CONCURRENT)
class ZooKeeperReadWriteContractIT extends ContractFixture implements ReadWriteLocks {

  @Override
  protected StoreUnderTest openStore() {
    return SharedServers.store();
  }
}
