/**
 * Rate limiters as callers hold them: who is asked for a key, and what is answered when the store
 * is away.
 */
@NullMarked
package dev.sluice.internal.limit;

import org.jspecify.annotations.NullMarked;
