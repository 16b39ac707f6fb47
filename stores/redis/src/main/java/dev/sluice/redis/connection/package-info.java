/** Connections to Redis, routes to the server of a key, and scripts. */
@NullMarked
package dev.sluice.redis.connection;

import org.jspecify.annotations.NullMarked;
