/**
 * Calls to a store: timers, deadlines, retries, the breaker, and the mapping of failures.
 *
 * <p>A class called a coordinator, in the packages beside this one, is what a process knows and
 * does about one name or key: callers meet there before the store is asked.
 */
@NullMarked
package dev.sluice.internal.call;

import org.jspecify.annotations.NullMarked;
