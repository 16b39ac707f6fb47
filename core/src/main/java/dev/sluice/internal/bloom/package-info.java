/** Bloom filters as callers use them: their generations, and rebuilding. */
@NullMarked
package dev.sluice.internal.bloom;

import org.jspecify.annotations.NullMarked;
