/** The store that a command works on: its URL, the default file, the tables. */
@NullMarked
package dev.sluice.cli.store;

import org.jspecify.annotations.NullMarked;
