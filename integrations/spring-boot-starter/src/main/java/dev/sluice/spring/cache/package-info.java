/** Settings of guarded caches behind Spring's cache annotations. */
@NullMarked
package dev.sluice.spring.cache;

import org.jspecify.annotations.NullMarked;
