/** Rate limits of HTTP requests, and the answers to exceptions of controllers. */
@NullMarked
package dev.sluice.spring.http;

import org.jspecify.annotations.NullMarked;
