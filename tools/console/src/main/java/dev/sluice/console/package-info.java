/**
 * A web console that shows the state of a store and of the processes on it. {@link
 * dev.sluice.console.Console} answers requests and knows no server; {@link
 * dev.sluice.console.ConsoleServer} puts it behind an embedded one, the Spring Boot starter into an
 * application. {@link dev.sluice.console.FleetReporter} makes a process show its own figures.
 */
@NullMarked
package dev.sluice.console;

import org.jspecify.annotations.NullMarked;
