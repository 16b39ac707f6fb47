package dev.sluice.redis.verbs;

import dev.sluice.redis.ClusterStore;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.lock.ElectionOrder;
import dev.sluice.testkit.lock.LeaderElections;
import org.junit.jupiter.api.Tag;

/** A Redis Cluster: one leader at a time. */
@Tag("full")
class ClusterElectionContractIT extends ContractFixture implements LeaderElections, ElectionOrder {
  @Override
  protected StoreUnderTest openStore() {
    return new ClusterStore();
  }
}
