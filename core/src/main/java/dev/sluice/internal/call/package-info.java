/**
 * Calls to a store: timers, deadlines, repetition, the breaker, and what a failure means to the
 * caller.
 *
 * <p>A class called a coordinator, in the packages beside this one, is what a process knows and
 * does about one name or key: callers meet there before the store is asked.
 */
@NullMarked
package dev.sluice.internal.call;

import org.jspecify.annotations.NullMarked;
