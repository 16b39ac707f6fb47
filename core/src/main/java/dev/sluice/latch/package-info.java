/** Count-down latches that several processes share. */
@NullMarked
package dev.sluice.latch;

import org.jspecify.annotations.NullMarked;
