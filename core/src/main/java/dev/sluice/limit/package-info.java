/** Rate limits: what a limit is, what a decision says, and the limiter that makes it. */
@NullMarked
package dev.sluice.limit;

import org.jspecify.annotations.NullMarked;
