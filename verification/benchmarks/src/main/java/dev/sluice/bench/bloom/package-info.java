/** The third chapter: Bloom filters. */
@NullMarked
package dev.sluice.bench.bloom;

import org.jspecify.annotations.NullMarked;
