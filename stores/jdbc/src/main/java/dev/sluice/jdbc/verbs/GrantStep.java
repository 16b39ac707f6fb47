package dev.sluice.jdbc.verbs;

import dev.sluice.state.grant.GrantState;

/**
 * The result of a step on a name with units left.
 *
 * @param reply the answer
 * @param state of the row
 * @param version of the row
 * @param now the database's clock, microseconds since the epoch
 */
record GrantStep<T>(T reply, GrantState state, long version, long now) {}
