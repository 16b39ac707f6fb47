/** Bloom filters as callers hold them: their life over generations, and rebuilding. */
@NullMarked
package dev.sluice.internal.bloom;

import org.jspecify.annotations.NullMarked;
