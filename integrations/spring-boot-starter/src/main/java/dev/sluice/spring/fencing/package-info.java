/**
 * Fencing tokens of HTTP requests: the filter that checks them, and the interceptor that sends
 * them.
 */
@NullMarked
package dev.sluice.spring.fencing;

import org.jspecify.annotations.NullMarked;
