package dev.sluice.redis;

import dev.sluice.testkit.InventoryDrainContract;
import dev.sluice.testkit.StoreUnderTest;
import org.junit.jupiter.api.Tag;

/** The master that Sentinels watch: drains of limited stock. */
@Tag("fleet")
@Tag("repeat")
class SentinelInventoryDrainContractTest extends InventoryDrainContract {
  @Override
  protected StoreUnderTest openStore() {
    return RedisStore.bySentinel();
  }
}
