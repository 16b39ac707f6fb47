package dev.sluice.zookeeper;

import dev.sluice.testkit.LockContract;
import dev.sluice.testkit.StoreUnderTest;

class ZooKeeperLockContractTest extends LockContract {

  @Override
  protected StoreUnderTest openStore() {
    return SharedServers.store();
  }
}
