/** Contracts of rate limits. */
@NullMarked
package dev.sluice.testkit.limit;

import org.jspecify.annotations.NullMarked;
