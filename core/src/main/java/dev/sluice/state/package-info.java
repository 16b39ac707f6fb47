/**
 * The decisions: the next state of a lock, a limit, a sale, a latch or a cached value, as a
 * function of the stored state, a request and the store's time. Nothing here waits, blocks or calls
 * a store.
 */
@NullMarked
package dev.sluice.state;

import org.jspecify.annotations.NullMarked;
