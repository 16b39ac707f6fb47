/** Wakes waiting clients when a row changes: PostgreSQL notifications, and polls elsewhere. */
@NullMarked
package dev.sluice.jdbc.signals;

import org.jspecify.annotations.NullMarked;
