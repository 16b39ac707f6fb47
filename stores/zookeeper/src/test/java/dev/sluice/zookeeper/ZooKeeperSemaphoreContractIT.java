package dev.sluice.zookeeper;

import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.lock.Semaphores;
import org.junit.jupiter.api.parallel.Execution;

@Execution(CONCURRENT)
class ZooKeeperSemaphoreContractIT extends ContractFixture implements Semaphores {

  @Override
  protected StoreUnderTest openStore() {
    return SharedServers.store();
  }
}
