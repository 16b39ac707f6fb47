/** Contracts of locks, semaphores and elections. */
@NullMarked
package dev.sluice.testkit.lock;

import org.jspecify.annotations.NullMarked;
