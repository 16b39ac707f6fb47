/** Distributed locks whose every grant is a lease with a fencing token. */
@NullMarked
package dev.sluice.lock;

import org.jspecify.annotations.NullMarked;
