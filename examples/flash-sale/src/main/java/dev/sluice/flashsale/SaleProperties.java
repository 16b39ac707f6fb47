package dev.sluice.flashsale;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of one instance of the sale.
 *
 * @param stock Units on offer when a strategy has never been sold before, and at a reset that names
 *     no other number.
 * @param work Time that one purchase spends between the check and the write; the articles use 100
 *     ms.
 * @param roundTrip Time that each statement and each commit takes on its way to the database and
 *     back; see {@link RoundTrips}.
 * @param lockWait Longest wait of one purchase for the lock.
 * @param loadTimeLimit Longest run of the built-in load.
 * @param hold How long an order of the limited stock waits to be paid.
 * @param payShare Share of the built-in crowd that pays, 0 to 1; the others' units come back.
 * @param perBuyer Claims of one buyer in a second at one instance, for the limited stock; five
 *     times as many in a burst.
 * @param together Claims of all buyers in a second, for the limited stock.
 * @param redisTimeout Longest wait of a page for Redis, for views and one-time codes.
 * @param tokenKey Key of the sale tokens, at least 16 bytes, the same for all instances; without
 *     one, a random one that is kept in the database.
 */
@ConfigurationProperties("sale")
record SaleProperties(
    @DefaultValue("2000") int stock,
    @DefaultValue("0s") Duration work,
    @DefaultValue("0s") Duration roundTrip,
    @DefaultValue("30s") Duration lockWait,
    @DefaultValue("120s") Duration loadTimeLimit,
    @DefaultValue("20s") Duration hold,
    @DefaultValue("0.9") double payShare,
    @DefaultValue("5") int perBuyer,
    @DefaultValue("50000") int together,
    @DefaultValue("2s") Duration redisTimeout,
    @Nullable String tokenKey) {

  static final int MAX_STOCK = 1_000_000;

  SaleProperties {
    requireStock(stock);
    if (!(payShare >= 0 && payShare <= 1)) {
      throw new IllegalArgumentException("pay-share must be 0 to 1: " + payShare);
    }
  }

  static int requireStock(int stock) {
    if (stock < 1 || stock > MAX_STOCK) {
      throw new IllegalArgumentException("stock must be 1 to " + MAX_STOCK + ": " + stock);
    }
    return stock;
  }
}
