package dev.sluice.zookeeper;

import dev.sluice.testkit.ReadWriteContract;
import dev.sluice.testkit.StoreUnderTest;

class ZooKeeperReadWriteContractTest extends ReadWriteContract {

  @Override
  protected StoreUnderTest openStore() {
    return SharedServers.store();
  }
}
