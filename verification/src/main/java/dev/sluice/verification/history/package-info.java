/**
 * Records what callers, the store and a resource saw of a lock, and checks the promises on it. It
 * shares no decision with the code under test.
 */
@NullMarked
package dev.sluice.verification.history;

import org.jspecify.annotations.NullMarked;
