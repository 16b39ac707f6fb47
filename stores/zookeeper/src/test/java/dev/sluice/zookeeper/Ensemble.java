package dev.sluice.zookeeper;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;

/** Three servers that vote. */
final class Ensemble implements AutoCloseable {
  private final List<InstanceSpec> members =
      List.of(Servers.spec(1000), Servers.spec(1000), Servers.spec(1000));
  private final TestingCluster cluster = new TestingCluster(members);
  private final CuratorFramework hand;

  Ensemble() throws Exception {
    cluster.start();
    hand = SharedServers.hand(servers());
    hand.blockUntilConnected(60, TimeUnit.SECONDS);
  }

  String servers() {
    return cluster.getConnectString();
  }

  CuratorFramework hand() {
    return hand;
  }

  List<InstanceSpec> members() {
    return members;
  }

  /** The member that leads; waits until there is one. */
  InstanceSpec leader() {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (System.nanoTime() - end < 0) {
      for (InstanceSpec member : members) {
        if (Servers.ask(member.getPort(), "srvr").contains("Mode: leader")) {
          return member;
        }
      }
      LockSupport.parkNanos(20_000_000);
    }
    throw new AssertionError("nobody leads");
  }

  void kill(InstanceSpec member) throws Exception {
    cluster.killServer(member);
  }

  void restart(InstanceSpec member) throws Exception {
    cluster.restartServer(member);
  }

  @Override
  public void close() throws Exception {
    hand.close();
    cluster.close();
  }
}
