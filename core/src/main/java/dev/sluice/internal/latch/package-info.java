/** Latches as callers hold them: who waits, and how they learn that it opened. */
@NullMarked
package dev.sluice.internal.latch;

import org.jspecify.annotations.NullMarked;
