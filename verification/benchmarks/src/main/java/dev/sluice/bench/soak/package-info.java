/** A long run under mixed load and faults, and whether anything grows meanwhile. */
@NullMarked
package dev.sluice.bench.soak;

import org.jspecify.annotations.NullMarked;
