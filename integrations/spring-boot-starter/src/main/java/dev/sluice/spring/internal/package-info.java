/**
 * Code that several packages of the starter share. Not for applications: a type here may change or
 * go with any version.
 */
@NullMarked
package dev.sluice.spring.internal;

import org.jspecify.annotations.NullMarked;
