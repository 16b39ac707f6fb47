/** Limited stock that several processes sell, and never sell twice. */
@NullMarked
package dev.sluice.inventory;

import org.jspecify.annotations.NullMarked;
