/**
 * The check at the resource: what refuses a holder that was paused while its lock went to somebody
 * else.
 */
@NullMarked
package dev.sluice.guard;

import org.jspecify.annotations.NullMarked;
