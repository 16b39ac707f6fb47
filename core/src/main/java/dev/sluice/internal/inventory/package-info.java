/**
 * Limited stock as callers use it: batches of claims, the drain of sold claims, and reconciling.
 */
@NullMarked
package dev.sluice.internal.inventory;

import org.jspecify.annotations.NullMarked;
