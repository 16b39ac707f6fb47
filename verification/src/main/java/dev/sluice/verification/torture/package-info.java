/**
 * Real client processes over real servers, with faults of every kind, judged by the history
 * checker: {@code ./sluice torture}.
 */
@NullMarked
package dev.sluice.verification.torture;

import org.jspecify.annotations.NullMarked;
