/** A lock provider for ShedLock on any store of Sluice. */
@NullMarked
package dev.sluice.shedlock;

import org.jspecify.annotations.NullMarked;
