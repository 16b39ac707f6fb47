/** The lock libraries under test, each behind the same two calls. */
@NullMarked
package dev.sluice.bench.systems;

import org.jspecify.annotations.NullMarked;
