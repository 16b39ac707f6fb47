/** Processes, phases and counters: how one measurement is taken. */
@NullMarked
package dev.sluice.bench.run;

import org.jspecify.annotations.NullMarked;
