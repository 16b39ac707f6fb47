/** The formats that are stored and sent: key names, packed words, cached values. */
@NullMarked
package dev.sluice.redis.keys;

import org.jspecify.annotations.NullMarked;
