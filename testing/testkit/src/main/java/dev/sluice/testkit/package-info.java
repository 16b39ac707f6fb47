/** Contract tests for authors of stores, and faulty stores. */
@NullMarked
package dev.sluice.testkit;

import org.jspecify.annotations.NullMarked;
