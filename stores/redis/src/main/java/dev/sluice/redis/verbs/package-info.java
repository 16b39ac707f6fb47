/** The verbs of the SPI on Redis: one class per interface, and one script per verb. */
@NullMarked
package dev.sluice.redis.verbs;

import org.jspecify.annotations.NullMarked;
