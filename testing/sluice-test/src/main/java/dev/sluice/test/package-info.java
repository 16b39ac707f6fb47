/**
 * Support for tests of applications: a {@code Sluice} in memory whose time a test moves, for JUnit
 * and for Spring Boot.
 */
@NullMarked
package dev.sluice.test;

import org.jspecify.annotations.NullMarked;
