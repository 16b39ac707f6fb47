/**
 * Code that commands share at the terminal: arguments, durations, exit codes, signals, text and
 * status lines.
 */
@NullMarked
package dev.sluice.cli.terminal;

import org.jspecify.annotations.NullMarked;
