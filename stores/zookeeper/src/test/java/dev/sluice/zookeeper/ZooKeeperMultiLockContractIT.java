package dev.sluice.zookeeper;

import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.lock.MultiLockLoss;
import dev.sluice.testkit.lock.MultiLocks;

class ZooKeeperMultiLockContractIT extends ContractFixture implements MultiLocks, MultiLockLoss {

  @Override
  protected StoreUnderTest openStore() {
    return SharedServers.store();
  }
}
