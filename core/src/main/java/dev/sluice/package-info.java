/** The entry point: connect to a store, ask for a primitive by name. */
@NullMarked
package dev.sluice;

import org.jspecify.annotations.NullMarked;
