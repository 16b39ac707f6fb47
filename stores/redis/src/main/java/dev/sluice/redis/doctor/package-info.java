/** Examines Redis servers and reports settings that put a guarantee at risk. */
@NullMarked
package dev.sluice.redis.doctor;

import org.jspecify.annotations.NullMarked;
