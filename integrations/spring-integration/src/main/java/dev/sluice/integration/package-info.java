/** Spring Integration's locks on any store of Sluice. */
@NullMarked
package dev.sluice.integration;

import org.jspecify.annotations.NullMarked;
