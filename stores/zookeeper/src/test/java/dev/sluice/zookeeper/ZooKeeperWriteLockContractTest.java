package dev.sluice.zookeeper;

import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.WriteLockContract;
import org.junit.jupiter.api.Tag;

@Tag("repeat")
class ZooKeeperWriteLockContractTest extends WriteLockContract {

  @Override
  protected StoreUnderTest openStore() {
    return SharedServers.store();
  }
}
