/**
 * Guards at a SQL database, over {@code java.sql} alone: they check the fencing token of a lock in
 * the transaction that reads and writes.
 */
@NullMarked
package dev.sluice.jdbc;

import org.jspecify.annotations.NullMarked;
