package dev.sluice.zookeeper;

import dev.sluice.testkit.MultiLockContract;
import dev.sluice.testkit.StoreUnderTest;

class ZooKeeperMultiLockContractTest extends MultiLockContract {

  @Override
  protected StoreUnderTest openStore() {
    return SharedServers.store();
  }
}
