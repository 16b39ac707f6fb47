/** Contracts of limited stock. */
@NullMarked
package dev.sluice.testkit.inventory;

import org.jspecify.annotations.NullMarked;
