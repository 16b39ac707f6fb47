/** Leader elections of one client: each candidate is a thread that waits for a lock. */
@NullMarked
package dev.sluice.internal.election;

import org.jspecify.annotations.NullMarked;
