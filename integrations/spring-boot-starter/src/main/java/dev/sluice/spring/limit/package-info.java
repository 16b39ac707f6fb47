/** Rate limits on methods, and the limiters of {@code sluice.limiters} by name. */
@NullMarked
package dev.sluice.spring.limit;

import org.jspecify.annotations.NullMarked;
