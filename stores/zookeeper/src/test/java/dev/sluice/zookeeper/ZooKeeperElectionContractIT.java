package dev.sluice.zookeeper;

import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.lock.ElectionOrder;
import dev.sluice.testkit.lock.LeaderElections;

class ZooKeeperElectionContractIT extends ContractFixture
    implements LeaderElections, ElectionOrder {

  @Override
  protected StoreUnderTest openStore() {
    return SharedServers.store();
  }
}
