/** The store that the application already has: its Redis or its DataSource. */
@NullMarked
package dev.sluice.spring.store;

import org.jspecify.annotations.NullMarked;
