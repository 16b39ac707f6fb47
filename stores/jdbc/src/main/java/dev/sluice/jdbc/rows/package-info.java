/**
 * Steps on rows: connections, transactions, tables, and the codecs of the states that rows hold.
 */
@NullMarked
package dev.sluice.jdbc.rows;

import org.jspecify.annotations.NullMarked;
