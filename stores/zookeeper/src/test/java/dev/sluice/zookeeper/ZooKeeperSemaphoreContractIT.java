package dev.sluice.zookeeper;

import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.lock.Semaphores;

class ZooKeeperSemaphoreContractIT extends ContractFixture implements Semaphores {

  @Override
  protected StoreUnderTest openStore() {
    return SharedServers.store();
  }
}
