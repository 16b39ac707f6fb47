/** Side by side with the peers. */
@NullMarked
package dev.sluice.bench;

import org.jspecify.annotations.NullMarked;
