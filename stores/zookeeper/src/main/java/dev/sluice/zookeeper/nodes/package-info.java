/**
 * One node for each claim: the session that owns the nodes, their names, and the queue of claims
 * below a folder. Internal; it may change in any version.
 */
@NullMarked
package dev.sluice.zookeeper.nodes;

import org.jspecify.annotations.NullMarked;
