/** A cache in front of a database: one load per expiry in a fleet, and no stale fill. */
@org.jspecify.annotations.NullMarked
package dev.sluice.cache;
