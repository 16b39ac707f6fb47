/** A queueing model of a fleet and its servers, run event by event in virtual time. */
@NullMarked
package dev.sluice.bench.scale.sim;

import org.jspecify.annotations.NullMarked;
