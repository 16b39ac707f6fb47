/** The command that serves the console. */
@NullMarked
package dev.sluice.cli.console;

import org.jspecify.annotations.NullMarked;
