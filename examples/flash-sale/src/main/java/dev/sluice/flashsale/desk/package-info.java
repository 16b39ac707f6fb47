/**
 * The sale that is built on limited stock: claim, queue, batch to the database. Uses Spring JDBC,
 * and needs no context of Spring.
 */
@NullMarked
package dev.sluice.flashsale.desk;

import org.jspecify.annotations.NullMarked;
