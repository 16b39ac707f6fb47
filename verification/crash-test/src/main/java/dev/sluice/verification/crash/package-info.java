/**
 * Kills processes and servers while they sell, and proves from the ledger that nothing went wrong.
 */
@NullMarked
package dev.sluice.verification.crash;

import org.jspecify.annotations.NullMarked;
