/**
 * Requests, responses and their JSON: sessions, the files of the page, and bounds on connections.
 */
@NullMarked
package dev.sluice.console.http;

import org.jspecify.annotations.NullMarked;
