/** Timers and spans of locks, and meters of limits, stock and filters, for Micrometer. */
module dev.sluice.micrometer {
  requires transitive dev.sluice.core;
  requires transitive micrometer.observation;
  requires static micrometer.core;
  requires static org.jspecify;

  exports dev.sluice.micrometer;
}
