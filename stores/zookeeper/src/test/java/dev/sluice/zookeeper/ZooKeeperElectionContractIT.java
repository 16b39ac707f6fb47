package dev.sluice.zookeeper;

import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.lock.ElectionOrder;
import dev.sluice.testkit.lock.LeaderElections;
import org.junit.jupiter.api.parallel.Execution;

@Execution(CONCURRENT)
class ZooKeeperElectionContractIT extends ContractFixture
    implements LeaderElections, ElectionOrder {

  @Override
  protected StoreUnderTest openStore() {
    return SharedServers.store();
  }
}
