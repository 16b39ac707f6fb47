/** The flash sale under load from outside: ab and wrk against the sample application. */
@NullMarked
package dev.sluice.bench.sale;

import org.jspecify.annotations.NullMarked;
