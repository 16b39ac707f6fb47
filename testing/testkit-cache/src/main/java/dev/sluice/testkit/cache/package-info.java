/** Contracts of the guarded cache for those who write a store. */
@NullMarked
package dev.sluice.testkit.cache;

import org.jspecify.annotations.NullMarked;
