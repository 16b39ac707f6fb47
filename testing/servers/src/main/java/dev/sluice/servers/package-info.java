/**
 * Real servers, proxies, a clock that a test moves, certificates, and the sources of this
 * repository, for its own tests.
 */
@NullMarked
package dev.sluice.servers;

import org.jspecify.annotations.NullMarked;
