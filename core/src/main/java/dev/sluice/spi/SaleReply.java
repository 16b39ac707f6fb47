package dev.sluice.spi;

import dev.sluice.inventory.InventoryInfo;
import org.jspecify.annotations.Nullable;

/**
 * The result of an operation on a sale, and the store's data about it.
 *
 * @param done whether the store is as it was asked to be: now, or already before
 * @param terms of the present sale, its total as it is now; null if there is none
 * @param info of this moment
 * @since 0.1
 */
public record SaleReply(boolean done, @Nullable SaleTerms terms, InventoryInfo info) {}
