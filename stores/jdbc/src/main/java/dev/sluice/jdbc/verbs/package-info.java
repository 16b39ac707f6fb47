/** The SPI on rows: one class per interface. */
@NullMarked
package dev.sluice.jdbc.verbs;

import org.jspecify.annotations.NullMarked;
