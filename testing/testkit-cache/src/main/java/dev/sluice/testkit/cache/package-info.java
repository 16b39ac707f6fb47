/** Contract tests of the guarded cache for authors of stores. */
@NullMarked
package dev.sluice.testkit.cache;

import org.jspecify.annotations.NullMarked;
