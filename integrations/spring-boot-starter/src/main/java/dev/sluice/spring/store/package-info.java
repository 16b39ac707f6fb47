/** The application's store: its Redis or its DataSource. */
@NullMarked
package dev.sluice.spring.store;

import org.jspecify.annotations.NullMarked;
