package dev.sluice.cache.explorer;

import org.jspecify.annotations.Nullable;

/**
 * One atomic step.
 *
 * @param what for people
 * @param to the world after it
 * @param broken the promise that it breaks, or null
 */
record Move(String what, ExploredState to, @Nullable String broken) {}
