/** What a backend implements and what the core asks of it. */
@NullMarked
package dev.sluice.spi;

import org.jspecify.annotations.NullMarked;
