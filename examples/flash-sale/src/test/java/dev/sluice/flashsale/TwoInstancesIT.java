package dev.sluice.flashsale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.servers.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.web.server.ResponseStatusException;

/** Two instances, one database: what each strategy is worth when more than one process sells. */
class TwoInstancesIT {
  private static final int STOCK = 300;
  private static final int BUYERS = 900;

  /** An honest race may once in a while have no loser; ten in a row would be no race. */
  private static final int TRIES = 10;

  @TempDir Path folder;

  @Test
  void lockInRedisSellsExactlyTheStock() throws Exception {
    try (RedisServer redis = RedisServer.start();
        SaleInstances shop = new SaleInstances(2, folder, "redis://127.0.0.1:" + redis.port())) {
      sellsExactlyTheStock(shop);
    }
  }

  @Test
  void limitedStockInRedisIsSoldThroughBothInstancesOnce() throws Exception {
    try (RedisServer redis = RedisServer.start();
        SaleInstances shop = new SaleInstances(2, folder, "redis://127.0.0.1:" + redis.port())) {
      DemoLoad.Progress end = shop.crowd("inventory", STOCK, BUYERS);

      assertThat(end.answers().sold()).as("buyers who were queued").isEqualTo(STOCK);
      assertThat(end.answers().soldOut()).isEqualTo(BUYERS - STOCK);
      assertThat(end.answers().failed()).isZero();
      assertThat(shop.sales(1).freshDetail("inventory").sold()).isEqualTo(STOCK);
    }
  }

  @Test
  void withoutALockOfAllInstancesEveryStrategyOversells() throws Exception {
    try (SaleInstances shop = new SaleInstances(2, folder, "memory:" + UUID.randomUUID())) {
      oversells(shop, "none");
      oversells(shop, "atomic");
      sellsExactlyTheStock(shop);
    }
  }

  /**
   * Two stores know nothing of each other's tokens; the stock row refuses rather than oversells.
   */
  @Test
  void locksInSeparateStoresAreCaughtByTheTokenInTheStockRow() throws Exception {
    try (SaleInstances shop = new SaleInstances(2, folder, "memory:")) {
      long refused = 0;
      for (int i = 0; i < TRIES && refused == 0; i++) {
        DemoLoad.Progress end = shop.crowd("lock", STOCK, BUYERS);
        Sales.Detail detail = shop.sales(0).freshDetail("lock");
        assertThat(detail.oversold()).isZero();
        assertThat(detail.sold()).isEqualTo((int) end.answers().sold());
        assertThat(detail.unitsLeft()).isEqualTo(STOCK - detail.sold());
        refused = end.answers().failed();
      }
      assertThat(refused).as("purchases refused as stale").isPositive();
    }
  }

  /** Two crowds would reset each other's stock, and a page stops what it shows. */
  @Test
  void oneLoadRunsAtATimeAndEveryInstanceStopsIt() throws Exception {
    try (SaleInstances shop = new SaleInstances(2, folder, "memory:" + UUID.randomUUID())) {
      DemoLoad first = shop.load(0);
      DemoLoad second = shop.load(1);
      CompletableFuture<DemoLoad.@Nullable Progress> run =
          first.start(List.of("lock", "none"), new DemoLoad.Spec(100_000, 200_000, 8, 1));

      assertThatThrownBy(() -> second.start(List.of("none"), new DemoLoad.Spec(1, 1, 1, 1)))
          .isInstanceOf(ResponseStatusException.class)
          .hasMessageContaining("a load is running already");
      awaitBusy(second, true);
      second.stop();

      DemoLoad.Progress end = run.get(60, TimeUnit.SECONDS);
      if (end != null) { // else it had not begun
        assertThat(end.strategy()).isEqualTo("lock");
        assertThat(end.answers().requests()).isLessThan(200_000);
      }
      awaitBusy(first, false);
      awaitBusy(second, false);
      assertThat(
              second
                  .start(List.of("lock"), new DemoLoad.Spec(1, 2, 1, 1))
                  .get(60, TimeUnit.SECONDS)
                  .answers()
                  .sold())
          .isEqualTo(1);
    }
  }

  private static void awaitBusy(DemoLoad load, boolean busy) {
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> load.state().busy(), found -> found == busy);
  }

  private static void sellsExactlyTheStock(SaleInstances shop) throws Exception {
    DemoLoad.Progress end = shop.crowd("lock", STOCK, BUYERS);
    Sales.Detail detail = shop.sales(0).freshDetail("lock");

    assertThat(detail.sold()).isEqualTo(STOCK);
    assertThat(detail.unitsLeft()).isZero();
    assertThat(detail.soldBy()).as("both instances sell").hasSize(2);
    assertThat(end.answers().sold()).as("buyers who were told so").isEqualTo(STOCK);
    assertThat(end.answers().soldOut()).isEqualTo(BUYERS - STOCK);
    assertThat(end.answers().failed()).as("refused as stale, or timed out").isZero();
  }

  private static void oversells(SaleInstances shop, String strategy) throws Exception {
    int oversold = 0;
    for (int i = 0; i < TRIES && oversold == 0; i++) {
      DemoLoad.Progress end = shop.crowd(strategy, STOCK, BUYERS);
      Sales.Detail detail = shop.sales(0).freshDetail(strategy);
      assertThat(detail.sold()).isEqualTo((int) end.answers().sold());
      oversold = detail.oversold();
    }
    assertThat(oversold).as("units that %s sold and did not have", strategy).isPositive();
  }
}
