/** Peers as {@code ./sluice torture --peer} looks at them. */
@NullMarked
package dev.sluice.bench.torture;

import org.jspecify.annotations.NullMarked;
