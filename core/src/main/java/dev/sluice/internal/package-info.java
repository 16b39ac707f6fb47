/** Waiting, hand-off and renewal, written once for every backend. May change any day. */
@NullMarked
package dev.sluice.internal;

import org.jspecify.annotations.NullMarked;
