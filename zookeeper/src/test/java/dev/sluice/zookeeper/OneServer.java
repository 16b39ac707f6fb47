package dev.sluice.zookeeper;

import java.util.Map;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;

/** One server for all tests of this JVM; it stops with it. */
final class OneServer {
  static {
    // a disk that is waited for proves nothing here, and takes most of the time
    System.setProperty("zookeeper.forceSync", "no");
    System.setProperty("znode.container.checkIntervalMs", "500");
    System.setProperty("zookeeper.4lw.commands.whitelist", "*");
    System.setProperty("zookeeper.admin.enableServer", "false");
  }

  private static final class Running {
    static final TestingServer SERVER = start();
    static final CuratorFramework HAND = hand(SERVER.getConnectString());
  }

  private OneServer() {}

  private static TestingServer start() {
    try {
      InstanceSpec spec =
          new InstanceSpec(
              null, -1, -1, -1, true, 1, 2000, -1, Map.of(), "127.0.0.1");
      return new TestingServer(spec, true);
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
