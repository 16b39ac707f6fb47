/** The formats of stored and sent data: key names, packed words, cached values. */
@NullMarked
package dev.sluice.redis.keys;

import org.jspecify.annotations.NullMarked;
