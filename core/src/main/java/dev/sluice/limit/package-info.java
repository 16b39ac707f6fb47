/** Rate limits: the limits, the decisions, and the limiter that makes them. */
@NullMarked
package dev.sluice.limit;

import org.jspecify.annotations.NullMarked;
