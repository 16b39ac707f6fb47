/** Contracts of Bloom filters. */
@NullMarked
package dev.sluice.testkit.bloom;

import org.jspecify.annotations.NullMarked;
