package dev.sluice.cache;

import java.util.Optional;

/**
 * The result of a load.
 *
 * @param value the value, or empty for absent
 * @param tagVersion the version of the tags before the load
 */
record Loaded<V>(Optional<V> value, long tagVersion) {}
