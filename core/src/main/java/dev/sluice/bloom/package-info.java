/** Bloom filters: how large one is, what an element is, and the filter that processes share. */
@NullMarked
package dev.sluice.bloom;

import org.jspecify.annotations.NullMarked;
