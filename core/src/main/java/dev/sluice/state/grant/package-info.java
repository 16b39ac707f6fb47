/**
 * The decisions about locks, semaphores and read-write locks: the state of one name with units, and
 * its forms as a row and as messages.
 */
@NullMarked
package dev.sluice.state.grant;

import org.jspecify.annotations.NullMarked;
