package dev.sluice.zookeeper;

import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.WriteLockContract;

class ZooKeeperWriteLockContractTest extends WriteLockContract {

  @Override
  protected StoreUnderTest openStore() {
    return SharedServers.store();
  }
}
