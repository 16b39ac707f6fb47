/** The second chapter: limits. */
@NullMarked
package dev.sluice.bench.limits;

import org.jspecify.annotations.NullMarked;
