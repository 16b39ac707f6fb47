/** Locks by the majority of several independent servers: membership, votes and polls. */
@NullMarked
package dev.sluice.redis.quorum;

import org.jspecify.annotations.NullMarked;
