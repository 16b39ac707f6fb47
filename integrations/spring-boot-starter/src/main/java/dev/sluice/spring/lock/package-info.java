/** Locks on methods: the annotations and their interceptor. */
@NullMarked
package dev.sluice.spring.lock;

import org.jspecify.annotations.NullMarked;
