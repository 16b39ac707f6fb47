package dev.sluice.zookeeper;

import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.lock.MultiLockLoss;
import dev.sluice.testkit.lock.MultiLocks;
import org.junit.jupiter.api.parallel.Execution;

@Execution(CONCURRENT)
class ZooKeeperMultiLockContractIT extends ContractFixture implements MultiLocks, MultiLockLoss {

  @Override
  protected StoreUnderTest openStore() {
    return SharedServers.store();
  }
}
