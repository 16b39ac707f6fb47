/**
 * Guarded caches: one load at a time, fenced writes, and a near tier that is invalidated on
 * changes.
 */
module dev.sluice.cache {
  requires transitive dev.sluice.core;
  requires com.github.benmanes.caffeine;
  requires static micrometer.core;
  requires static org.jspecify;
  requires static tools.jackson.databind;

  exports dev.sluice.cache;
}
