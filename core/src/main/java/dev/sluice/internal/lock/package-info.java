/**
 * Locks, semaphores, read-write locks and multi-locks as callers use them: queues of callers,
 * leases and their renewal.
 */
@NullMarked
package dev.sluice.internal.lock;

import org.jspecify.annotations.NullMarked;
