/**
 * Rate limiters as callers use them: the decisions for a key, and the fallback while the store is
 * unreachable.
 */
@NullMarked
package dev.sluice.internal.limit;

import org.jspecify.annotations.NullMarked;
