/** The in-process backend: the reference of every decision, with a clock that tests may set. */
@NullMarked
package dev.sluice.memory;

import org.jspecify.annotations.NullMarked;
