/** The first chapter: locks. */
@NullMarked
package dev.sluice.bench.locks;

import org.jspecify.annotations.NullMarked;
