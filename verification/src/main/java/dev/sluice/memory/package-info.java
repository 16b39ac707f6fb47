/** In-memory stores with a planted fault. */
@NullMarked
package dev.sluice.memory;

import org.jspecify.annotations.NullMarked;
