/** Random runs of guarded caches before a database, and what they must not show. */
@NullMarked
package dev.sluice.verification.cache;

import org.jspecify.annotations.NullMarked;
