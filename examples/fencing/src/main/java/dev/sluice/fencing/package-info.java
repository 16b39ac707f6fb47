/** A pause that breaks a bare lock, played by real processes. */
@NullMarked
package dev.sluice.fencing;

import org.jspecify.annotations.NullMarked;
