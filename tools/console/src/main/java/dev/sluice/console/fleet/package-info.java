/**
 * The processes on a store: the figures that they report, changes of limits, and findings about
 * them.
 */
@NullMarked
package dev.sluice.console.fleet;

import org.jspecify.annotations.NullMarked;
