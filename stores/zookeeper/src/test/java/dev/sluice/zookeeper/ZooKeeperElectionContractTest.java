package dev.sluice.zookeeper;

import dev.sluice.testkit.ElectionContract;
import dev.sluice.testkit.StoreUnderTest;

class ZooKeeperElectionContractTest extends ElectionContract {

  @Override
  protected StoreUnderTest openStore() {
    return SharedServers.store();
  }
}
