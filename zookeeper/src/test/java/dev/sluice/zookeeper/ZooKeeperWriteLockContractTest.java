package dev.sluice.zookeeper;

import dev.sluice.testkit.WriteLockContract;
import dev.sluice.testkit.StoreUnderTest;

class ZooKeeperWriteLockContractTest extends WriteLockContract {

  @Override
  protected StoreUnderTest openStore() {
    return OneServer.store();
  }
}
