/** A chapter of the benchmark: its workloads, who takes part, and their turns. */
@NullMarked
package dev.sluice.bench.chapter;

import org.jspecify.annotations.NullMarked;
