/** The event log and the audit log. */
@NullMarked
package dev.sluice.console.audit;

import org.jspecify.annotations.NullMarked;
