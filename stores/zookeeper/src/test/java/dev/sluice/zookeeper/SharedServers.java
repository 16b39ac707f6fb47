package dev.sluice.zookeeper;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;

/**
 * One server for all tests of this JVM or, with {@code -Dsluice.zookeeper=ensemble}, three that
 * vote; they stop with it.
 */
final class SharedServers {
  private static final class Running {
    static final String SERVERS = start();
    static final CuratorFramework HAND = hand(SERVERS);
  }

  private SharedServers() {}

  private static String start() {
    try {
      return "ensemble".equals(System.getProperty("sluice.zookeeper"))
          ? new Ensemble().servers()
          : new TestingServer(Servers.spec(2000), true).getConnectString();
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
    return Running.SERVERS;
  }

  /** Of the first server, on the loopback interface. */
  static int port() {
    String first = servers().split(",")[0];
    return Integer.parseInt(first.substring(first.lastIndexOf(':') + 1));
  }

  static CuratorFramework hand() {
    return Running.HAND;
  }

  static ZooKeeperStoreUnderTest store() {
    return new ZooKeeperStoreUnderTest(servers(), hand());
  }
}
