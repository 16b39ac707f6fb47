package dev.sluice.zookeeper;

import dev.sluice.testkit.SemaphoreContract;
import dev.sluice.testkit.StoreUnderTest;

class ZooKeeperSemaphoreContractTest extends SemaphoreContract {

  @Override
  protected StoreUnderTest openStore() {
    return SharedServers.store();
  }
}
