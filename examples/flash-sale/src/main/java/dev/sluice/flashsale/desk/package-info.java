/**
 * The sale that is built on limited stock: claim, queue, batch to the database. Knows no Spring.
 */
@NullMarked
package dev.sluice.flashsale.desk;

import org.jspecify.annotations.NullMarked;
