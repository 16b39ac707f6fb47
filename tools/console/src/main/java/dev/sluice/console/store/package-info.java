/** The store's state, sampled once a second: tables, history, findings and hints. */
@NullMarked
package dev.sluice.console.store;

import org.jspecify.annotations.NullMarked;
