package dev.sluice.redis.verbs;

import dev.sluice.redis.ClusterStore;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.Notes;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.limit.PolicyBooks;
import org.junit.jupiter.api.Tag;

/** Notes and the policy book on a Redis Cluster, where each board is in a slot of its own. */
@Tag("full")
class ClusterNoteContractIT extends ContractFixture implements Notes, PolicyBooks {
  @Override
  protected StoreUnderTest openStore() {
    return new ClusterStore();
  }
}
