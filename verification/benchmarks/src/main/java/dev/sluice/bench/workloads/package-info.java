/** The workloads of each chapter, with their candidates, tables and goals. */
@NullMarked
package dev.sluice.bench.workloads;

import org.jspecify.annotations.NullMarked;
