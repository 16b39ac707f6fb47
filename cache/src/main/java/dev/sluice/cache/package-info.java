/** A cache in front of a database: one load per expiry across all processes, and no stale fill. */
@org.jspecify.annotations.NullMarked
package dev.sluice.cache;
