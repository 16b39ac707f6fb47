/**
 * Access logs replayed in virtual time against rate limits: one pass, bounded memory, the same
 * answer every time.
 */
@NullMarked
package dev.sluice.replay;

import org.jspecify.annotations.NullMarked;
