/**
 * Sluice on a SQL database, over {@code java.sql} alone. {@link dev.sluice.jdbc.JdbcBackend} keeps
 * locks and the like in rows; guards check the fencing token of a lock in the transaction that
 * reads and writes, for locks in any store.
 */
@NullMarked
package dev.sluice.jdbc;

import org.jspecify.annotations.NullMarked;
