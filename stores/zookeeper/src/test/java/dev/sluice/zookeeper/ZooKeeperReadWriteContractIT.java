package dev.sluice.zookeeper;

import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.lock.ReadWriteLocks;

class ZooKeeperReadWriteContractIT extends ContractFixture implements ReadWriteLocks {

  @Override
  protected StoreUnderTest openStore() {
    return SharedServers.store();
  }
}
