/** The SPI on Redis: one class per interface, and one script per operation. */
@NullMarked
package dev.sluice.redis.verbs;

import org.jspecify.annotations.NullMarked;
