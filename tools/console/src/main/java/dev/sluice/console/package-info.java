/**
 * A web console: what a store and the processes on it are doing, for people. {@link
 * dev.sluice.console.Console} answers requests and knows no server; {@link
 * dev.sluice.console.ConsoleServer} puts it behind an embedded one, the Spring Boot starter into an
 * application. {@link dev.sluice.console.FleetReporter} makes a process show its own figures.
 */
@NullMarked
package dev.sluice.console;

import org.jspecify.annotations.NullMarked;
