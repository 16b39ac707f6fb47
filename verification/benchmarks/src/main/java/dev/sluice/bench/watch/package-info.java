/** What it costs a process, and the console, to be looked at. */
@NullMarked
package dev.sluice.bench.watch;

import org.jspecify.annotations.NullMarked;
