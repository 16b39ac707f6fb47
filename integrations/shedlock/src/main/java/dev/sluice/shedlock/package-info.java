/** ShedLock on any store of Sluice. */
@NullMarked
package dev.sluice.shedlock;

import org.jspecify.annotations.NullMarked;
