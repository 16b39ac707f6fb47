/**
 * Connections to Redis, the routes that find the server of a key, and the scripts that travel over
 * them.
 */
@NullMarked
package dev.sluice.redis.connection;

import org.jspecify.annotations.NullMarked;
