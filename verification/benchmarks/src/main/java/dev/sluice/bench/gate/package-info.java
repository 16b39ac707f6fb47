/** Whether a run is worse than the one that was accepted last, by ratios and never by times. */
@NullMarked
package dev.sluice.bench.gate;

import org.jspecify.annotations.NullMarked;
