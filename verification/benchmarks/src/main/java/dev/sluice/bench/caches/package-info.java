/** The chapter about caches. */
@NullMarked
package dev.sluice.bench.caches;

import org.jspecify.annotations.NullMarked;
