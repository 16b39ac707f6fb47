/** Contracts for those who write a store, and stores that fail. */
@NullMarked
package dev.sluice.testkit;

import org.jspecify.annotations.NullMarked;
