/**
 * Spring Boot auto-configuration: a {@code Sluice} bean from the settings under {@code sluice.*}.
 */
@NullMarked
package dev.sluice.spring;

import org.jspecify.annotations.NullMarked;
