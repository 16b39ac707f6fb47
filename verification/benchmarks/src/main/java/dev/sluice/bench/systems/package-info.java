/** The libraries under test, and the table of those that each chapter compares. */
@NullMarked
package dev.sluice.bench.systems;

import org.jspecify.annotations.NullMarked;
