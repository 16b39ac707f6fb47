/**
 * One node for each claim: the session that owns it, the names of nodes, and the queue in a folder.
 * Internal; it may change in any version.
 */
@NullMarked
package dev.sluice.zookeeper.nodes;

import org.jspecify.annotations.NullMarked;
