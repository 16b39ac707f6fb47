/** What calls cost that never leave the JVM, by JMH. */
@NullMarked
package dev.sluice.bench.inprocess;

import org.jspecify.annotations.NullMarked;
