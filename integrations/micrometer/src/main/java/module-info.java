/** Timers and spans of locks, by Micrometer's observations. */
module dev.sluice.micrometer {
  requires transitive dev.sluice.core;
  requires transitive micrometer.observation;
  requires static org.jspecify;

  exports dev.sluice.micrometer;
}
