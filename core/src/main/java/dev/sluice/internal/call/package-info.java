/**
 * Calls to a store: timers, deadlines, repetition, the breaker, and what a failure means to the
 * caller.
 */
@NullMarked
package dev.sluice.internal.call;

import org.jspecify.annotations.NullMarked;
