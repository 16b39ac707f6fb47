/** Limited stock that several processes sell, without overselling. */
@NullMarked
package dev.sluice.inventory;

import org.jspecify.annotations.NullMarked;
