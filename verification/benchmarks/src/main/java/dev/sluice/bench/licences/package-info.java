/** What the published modules bring along, and under which licences. */
@NullMarked
package dev.sluice.bench.licences;

import org.jspecify.annotations.NullMarked;
