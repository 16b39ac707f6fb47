package dev.sluice.zookeeper;

import dev.sluice.testkit.ForceReleaseContract;
import dev.sluice.testkit.StoreUnderTest;

class ZooKeeperForceReleaseContractTest extends ForceReleaseContract {

  @Override
  protected StoreUnderTest openStore() {
    return SharedServers.store();
  }
}
