/** The entry of the starter: the {@code Sluice} bean, and the properties under {@code sluice.*}. */
@NullMarked
package dev.sluice.spring;

import org.jspecify.annotations.NullMarked;
