/** Locks on methods: the annotations, and what runs a method under its lock. */
@NullMarked
package dev.sluice.spring.lock;

import org.jspecify.annotations.NullMarked;
