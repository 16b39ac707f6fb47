package dev.sluice.zookeeper;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;

/** One server for all tests of this JVM; it stops with it. */
final class OneServer {
  private static final class Running {
    static final TestingServer SERVER = start();
    static final CuratorFramework HAND = hand(SERVER.getConnectString());
  }

  private OneServer() {}

  private static TestingServer start() {
    try {
      return new TestingServer(Servers.spec(2000), true);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  static CuratorFramework hand(String servers) {
    CuratorFramework hand =
        CuratorFrameworkFactory.newClient(servers, 30_000, 10_000, new RetryOneTime(100));
    hand.start();
    return hand;
  }

  static String servers() {
    return Running.SERVER.getConnectString();
  }

  static CuratorFramework hand() {
    return Running.HAND;
  }

  static ZooKeeperStore store() {
    return new ZooKeeperStore(servers(), hand());
  }
}
