package dev.sluice.redis.verbs;

import dev.sluice.redis.RedisStoreUnderTest;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.inventory.StockDrains;
import org.junit.jupiter.api.Tag;

/** The master that Sentinels watch: drains of limited stock. */
@Tag("full")
class SentinelInventoryDrainContractIT extends ContractFixture implements StockDrains {
  @Override
  protected StoreUnderTest openStore() {
    return RedisStoreUnderTest.bySentinel();
  }
}
