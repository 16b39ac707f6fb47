/** The command that examines a store. */
@NullMarked
package dev.sluice.cli.doctor;

import org.jspecify.annotations.NullMarked;
