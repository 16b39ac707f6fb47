/**
 * Limited stock as callers hold it: batches of claims, the drain of what was sold, and reconciling.
 */
@NullMarked
package dev.sluice.internal.inventory;

import org.jspecify.annotations.NullMarked;
