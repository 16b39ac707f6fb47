/**
 * SQL of PostgreSQL, MariaDB, H2 and SQLite: statements, tables, URLs and the mapping of failures.
 */
@NullMarked
package dev.sluice.jdbc.dialect;

import org.jspecify.annotations.NullMarked;
