/** Distributed locks whose grants are leases with fencing tokens. */
@NullMarked
package dev.sluice.lock;

import org.jspecify.annotations.NullMarked;
