/** Spring Integration's lock registry on any store of Sluice. */
@NullMarked
package dev.sluice.integration;

import org.jspecify.annotations.NullMarked;
