/** The processes on a store: their reported counts, changes of limits, and findings about them. */
@NullMarked
package dev.sluice.console.fleet;

import org.jspecify.annotations.NullMarked;
