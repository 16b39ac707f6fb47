/** Contract suites and helpers for those who write or test a backend. */
@NullMarked
package dev.sluice.testkit;

import org.jspecify.annotations.NullMarked;
