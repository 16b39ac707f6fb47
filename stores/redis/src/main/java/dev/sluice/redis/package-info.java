/** The Redis and Valkey backend: Lettuce, and one script per verb. */
@NullMarked
package dev.sluice.redis;

import org.jspecify.annotations.NullMarked;
