/** Latches as callers use them: waiters, and the detection that a latch opened. */
@NullMarked
package dev.sluice.internal.latch;

import org.jspecify.annotations.NullMarked;
