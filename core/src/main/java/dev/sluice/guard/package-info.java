/**
 * The check at the resource, which refuses a holder that was paused while another client got its
 * lock.
 */
@NullMarked
package dev.sluice.guard;

import org.jspecify.annotations.NullMarked;
