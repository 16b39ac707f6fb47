/** The {@code sluice} command, a plain user of the public API. */
@NullMarked
package dev.sluice.cli;

import org.jspecify.annotations.NullMarked;
