/** The Redis and Valkey backend: what an application opens, configures and guards its data with. */
@NullMarked
package dev.sluice.redis;

import org.jspecify.annotations.NullMarked;
