/** Steps of this repository's own build. */
@NullMarked
package dev.sluice.build;

import org.jspecify.annotations.NullMarked;
