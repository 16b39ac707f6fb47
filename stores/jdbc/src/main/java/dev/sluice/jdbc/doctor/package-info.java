/** Examines a database and reports settings that put a promise at risk. */
@NullMarked
package dev.sluice.jdbc.doctor;

import org.jspecify.annotations.NullMarked;
