/** The sample application. */
@NullMarked
package dev.sluice.flashsale;

import org.jspecify.annotations.NullMarked;
