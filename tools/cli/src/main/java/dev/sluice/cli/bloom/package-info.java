/** Commands for Bloom filters. */
@NullMarked
package dev.sluice.cli.bloom;

import org.jspecify.annotations.NullMarked;
