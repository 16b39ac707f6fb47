/** Spring Boot auto-configuration and annotations. */
@NullMarked
package dev.sluice.spring;

import org.jspecify.annotations.NullMarked;
