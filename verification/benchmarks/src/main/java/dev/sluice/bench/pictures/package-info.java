/** Pictures of what each algorithm of rate limits admits. */
@NullMarked
package dev.sluice.bench.pictures;

import org.jspecify.annotations.NullMarked;
