/** The {@code sluice} command, which uses the public API only. */
@NullMarked
package dev.sluice.cli;

import org.jspecify.annotations.NullMarked;
