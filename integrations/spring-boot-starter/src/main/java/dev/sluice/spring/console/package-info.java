/** The console inside the application. */
@NullMarked
package dev.sluice.spring.console;

import org.jspecify.annotations.NullMarked;
