/** Commands for limited stock. */
@NullMarked
package dev.sluice.cli.stock;

import org.jspecify.annotations.NullMarked;
