package dev.sluice.zookeeper;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.InstanceSpec;
import org.apache.zookeeper.ZooKeeper;

/** Operations of tests on servers. */
final class Servers {
  /** So that a lease of the contracts fits into the certain part of a session. */
  private static final Map<String, Object> LONG_SESSIONS = Map.of("maxSessionTimeout", "60000");

  static {
    // a disk that is waited for proves nothing here, and takes most of the time
    System.setProperty("zookeeper.forceSync", "no");
    System.setProperty("znode.container.checkIntervalMs", "500");
    System.setProperty("zookeeper.4lw.commands.whitelist", "*");
    System.setProperty("zookeeper.admin.enableServer", "false");
    System.setProperty( // super:secret, who may do anything
        "zookeeper.DigestAuthenticationProvider.superDigest", "super:lK75jTNcA+U9vtVEw5vB51mj/w4=");
  }

  private Servers() {}

  /**
   * A server on free ports.
   *
   * @param tickMillis a session lasts a tick at least (by default two), and a minute at most
   */
  static InstanceSpec spec(int tickMillis) {
    return new InstanceSpec(null, -1, -1, -1, true, -1, tickMillis, -1, LONG_SESSIONS, "127.0.0.1");
  }

  /** What a server says to one of its words of four letters. */
  static String ask(int port, String word) {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      socket.setSoTimeout(5000);
      socket.getOutputStream().write(word.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().flush();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      return "";
    }
  }

  /** Requests that came in since it started. */
  static long requests(int port) {
    Matcher received = Pattern.compile("Received: (\\d+)").matcher(ask(port, "srvr"));
    if (!received.find()) {
      throw new AssertionError("no server on port " + port);
    }
    return Long.parseLong(received.group(1));
  }

  /** Ends a session at the servers, as they do by themselves when they hear nothing of it. */
  static void expire(CuratorFramework client, String servers) throws Exception {
    ZooKeeper victim = client.getZookeeperClient().getZooKeeper();
    ZooKeeper twin =
        new ZooKeeper(
            servers,
            victim.getSessionTimeout(),
            event -> {},
            victim.getSessionId(),
            victim.getSessionPasswd());
    while (twin.getState() != ZooKeeper.States.CONNECTED) {
      java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
    }
    twin.close();
  }
}
