/** What an operation costs as clients, keys, waiters and masters grow, and where that leads. */
@NullMarked
package dev.sluice.bench.scale;

import org.jspecify.annotations.NullMarked;
