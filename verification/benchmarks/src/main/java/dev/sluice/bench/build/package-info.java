/** Steps of this repository's own build. */
@NullMarked
package dev.sluice.bench.build;

import org.jspecify.annotations.NullMarked;
