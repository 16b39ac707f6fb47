/** Contracts of latches. */
@NullMarked
package dev.sluice.testkit.latch;

import org.jspecify.annotations.NullMarked;
