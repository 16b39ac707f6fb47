/** Locks by a majority of independent servers: membership, votes and polls. */
@NullMarked
package dev.sluice.redis.quorum;

import org.jspecify.annotations.NullMarked;
