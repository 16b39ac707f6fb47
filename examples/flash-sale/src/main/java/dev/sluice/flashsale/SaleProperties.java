package dev.sluice.flashsale;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of one instance of the sale.
 *
 * @param stock Units on offer when a strategy has never been sold before, and at a reset that names
 *     no other number.
 * @param work Time that one purchase spends between the check and the write; the articles use 100
 *     ms.
 * @param lockWait Longest wait of one purchase for the lock.
 * @param loadTimeLimit Longest run of the built-in load.
 */
@ConfigurationProperties("sale")
record SaleProperties(
    @DefaultValue("10000") int stock,
    @DefaultValue("0s") Duration work,
    @DefaultValue("30s") Duration lockWait,
    @DefaultValue("60s") Duration loadTimeLimit) {

  static final int MAX_STOCK = 1_000_000;

  SaleProperties {
    requireStock(stock);
  }

  static int requireStock(int stock) {
    if (stock < 1 || stock > MAX_STOCK) {
      throw new IllegalArgumentException("stock must be 1 to " + MAX_STOCK + ": " + stock);
    }
    return stock;
  }
}
