/** Meters and traces of Sluice, for Micrometer. */
@NullMarked
package dev.sluice.micrometer;

import org.jspecify.annotations.NullMarked;
