/** Steps on rows: connections, transactions, tables, and the codecs of stored states. */
@NullMarked
package dev.sluice.jdbc.rows;

import org.jspecify.annotations.NullMarked;
