/** Commands for limits: try, peek, reset, replay a log, throttle. */
@NullMarked
package dev.sluice.cli.limit;

import org.jspecify.annotations.NullMarked;
