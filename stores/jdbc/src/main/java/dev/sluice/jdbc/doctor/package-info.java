/** Examines a database and reports settings that put a guarantee at risk. */
@NullMarked
package dev.sluice.jdbc.doctor;

import org.jspecify.annotations.NullMarked;
