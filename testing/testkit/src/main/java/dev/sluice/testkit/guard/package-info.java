/** Contracts of guards. */
@NullMarked
package dev.sluice.testkit.guard;

import org.jspecify.annotations.NullMarked;
