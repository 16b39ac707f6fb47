/** Actuator endpoints, and the health of the store. */
@NullMarked
package dev.sluice.spring.actuate;

import org.jspecify.annotations.NullMarked;
