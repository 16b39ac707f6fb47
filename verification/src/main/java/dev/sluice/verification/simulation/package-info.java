/**
 * A world in one thread: real lock engines over a simulated network and store, every delay and
 * every fault drawn from one seed. Needs core and the JDK only.
 */
@NullMarked
package dev.sluice.verification.simulation;

import org.jspecify.annotations.NullMarked;
