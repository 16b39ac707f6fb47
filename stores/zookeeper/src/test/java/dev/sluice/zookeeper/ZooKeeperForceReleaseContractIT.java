package dev.sluice.zookeeper;

import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.lock.ForceRelease;

class ZooKeeperForceReleaseContractIT extends ContractFixture implements ForceRelease {

  @Override
  protected StoreUnderTest openStore() {
    return SharedServers.store();
  }
}
