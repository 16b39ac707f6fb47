/** Rate limits of HTTP requests, and the answers to exceptions that a controller lets through. */
@NullMarked
package dev.sluice.spring.http;

import org.jspecify.annotations.NullMarked;
