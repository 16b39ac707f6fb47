/** The ZooKeeper backend: one ephemeral node for each process and name, over Curator. */
@NullMarked
package dev.sluice.zookeeper;

import org.jspecify.annotations.NullMarked;
