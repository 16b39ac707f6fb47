/** Requests to a Redis server, scripts among them, and their replies and errors. */
@NullMarked
package dev.sluice.redis.command;

import org.jspecify.annotations.NullMarked;
