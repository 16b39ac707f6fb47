/** The interfaces that a backend implements, with their requests and replies. */
@NullMarked
package dev.sluice.spi;

import org.jspecify.annotations.NullMarked;
