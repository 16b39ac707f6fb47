/**
 * The Redis and Valkey backend: the types that an application opens, configures and guards its data
 * with.
 */
@NullMarked
package dev.sluice.redis;

import org.jspecify.annotations.NullMarked;
