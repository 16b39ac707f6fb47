/** Bloom filters: their size, the bytes of an element, and the filter that processes share. */
@NullMarked
package dev.sluice.bloom;

import org.jspecify.annotations.NullMarked;
