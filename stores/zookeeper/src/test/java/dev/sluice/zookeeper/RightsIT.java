package dev.sluice.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.BackendException;
import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import dev.sluice.zookeeper.nodes.Nodes;
import dev.sluice.zookeeper.nodes.Session;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;
import org.junit.jupiter.api.Test;

/** Rights of users, and bad input. */
class RightsIT {
  private static final LockOptions LONG = LockOptions.renewing(Duration.ofSeconds(30));

  private static Sluice connect(String uri) {
    return Sluice.builder().uri(uri).requestTimeout(Duration.ofSeconds(30)).build();
  }

  private static String uri(String user, String path) {
    return "zookeeper://" + user + SharedServers.servers() + path;
  }

  @Test
  void nodesAreTheUsersAlone() throws Exception {
    CuratorFramework hand = SharedServers.hand();
    String path = "/rights1";
    String digest = DigestAuthenticationProvider.generateDigest("app:s@/cret");
    hand.create()
        .withMode(CreateMode.PERSISTENT)
        .withACL(List.of(new ACL(Perms.ALL, new Id("digest", digest))))
        .forPath(path);
    try (Sluice app = connect(uri("app:s@/cret@", path));
        Sluice twin = connect(uri("app:s%40%2Fcret@", path));
        Sluice foreign = connect(uri("other:secret@", path));
        Sluice nobody = connect(uri("", path))) {
      Lease lease = app.lock("seat", LONG).tryAcquire().orElseThrow();
      app.semaphore("permits", 2, LONG).tryAcquire().orElseThrow().release();
      assertThat(twin.inspect().lock("seat").holder()).isPresent();
      for (Sluice other : List.of(foreign, nobody)) {
        assertThatThrownBy(() -> other.lock("seat", LONG).tryAcquire())
            .isInstanceOf(BackendException.class)
            .hasMessageContaining("no rights at " + path);
        assertThatThrownBy(() -> other.lock("seat", LONG).forceRelease())
            .isInstanceOf(BackendException.class)
            .hasMessageContaining("no rights");
      }
      assertThatThrownBy(() -> hand.getChildren().forPath(path + "/sluice/locks"))
          .isInstanceOf(KeeperException.NoAuthException.class);
      assertThat(lease.release()).isTrue();
    }
  }

  @Test
  void pathThatIsMissingIsMade() throws Exception {
    try (Sluice sluice = connect(uri("", "/rights2/a/b"))) {
      assertThat(sluice.lock("seat", LONG).tryAcquire()).isPresent();
      assertThat(SharedServers.hand().checkExists().forPath("/rights2/a/b/sluice/locks/seat"))
          .isNotNull();
    }
  }

  @Test
  void whereNobodyAnswersIsToldInTimeAndWithoutThePassword() {
    assertThatThrownBy(
            () ->
                ZooKeeperBackend.builder()
                    .uri("zookeeper://app:secret@127.0.0.1:1/x")
                    .requestTimeout(Duration.ofMillis(300))
                    .build())
        .isInstanceOf(BackendException.class)
        .hasMessage("ZooKeeper at 127.0.0.1:1/x did not answer within 300ms")
        .hasMessageNotContaining("secret");
  }

  @Test
  void partsOfAUri() {
    ZooKeeperUri all =
        ZooKeeperUri.parse("zookeeper://u:p%40%3A@a,b:2182,[::1]:2183/x/y/?sessionTimeout=15s");
    assertThat(all.servers()).isEqualTo("a:2181,b:2182,[::1]:2183");
    assertThat(all.chroot()).isEqualTo("/x/y");
    assertThat(all.user()).isEqualTo("u");
    assertThat(all.password()).isEqualTo("p@:");
    assertThat(all.sessionTimeout()).isEqualTo(Duration.ofSeconds(15));
    assertThat(all.tls()).isFalse();
    assertThat(all.toString()).contains("a:2181").doesNotContain("p@:");
    assertThatThrownBy(() -> ZooKeeperUri.parse("zookeeper://a/x?tls=true&ca=/a@b.pem"))
        .hasMessageContaining("there is no file '/a@b.pem'");
    assertThat(ZooKeeperUri.parse("zookeeper://u:p?@a").password()).isEqualTo("p?");
    ZooKeeperUri least = ZooKeeperUri.parse("zookeeper://host");
    assertThat(least.servers()).isEqualTo("host:2181");
    assertThat(least.chroot()).isEmpty();
    assertThat(least.user()).isNull();
  }

  @Test
  void uriThatMakesNoSenseIsMisuseAndItsPasswordIsHidden() {
    for (String bad :
        new String[] {
          "zookeeper:host",
          "zookeeper://",
          "zookeeper://u:secret@",
          "zookeeper://u:secret@a,,b",
          "zookeeper://u:secret@a:0",
          "zookeeper://u:secret@a:70000",
          "zookeeper://u:secret@a b",
          "zookeeper://:secret@a",
          "zookeeper://u:@a",
          "zookeeper://secret@a",
          "zookeeper://u:secret@a/x?unknown=1",
          "zookeeper://u:secret@a/x?tls=maybe",
          "zookeeper://u:secret@a/x?ca=/nowhere.pem&tls=true",
          "zookeeper://u:secret@a/x?sessionTimeout=soon",
        }) {
      assertThatThrownBy(() -> ZooKeeperUri.parse(bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("expected zookeeper://")
          .hasMessageNotContaining("secret");
    }
    for (String bad : new String[] {"/a//b", "/a/../b", "/zookeeper", "/ä", "a"}) {
      assertThatThrownBy(() -> ZooKeeperBackend.builder().chroot(bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("chroot must be");
    }
    assertThatThrownBy(() -> ZooKeeperBackend.builder().build())
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> ZooKeeperBackend.builder().sessionTimeout(Duration.ofMillis(99)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ZooKeeperBackend.builder().credentials("a:b", "c"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void whatOtherStoresHaveIsRefusedAtOnceByName() {
    try (Sluice sluice = connect(uri("", "/rights3"))) {
      assertThatThrownBy(() -> sluice.latch("gate"))
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("has no latches; Redis, SQL and memory have");
    }
  }

  /** A name may be anything; a node's name may not. */
  @Test
  void namesStayApart() {
    List<String> names =
        List.of(
            ".",
            "..",
            "a/b",
            "a%2Fb",
            "a",
            "A",
            "a ",
            "ä",
            "a\u0308",
            "\u0001",
            "\uD83D\uDD12",
            "{a}",
            "zookeeper",
            "x".repeat(512));
    try (Sluice sluice = connect(uri("", "/rights4"))) {
      for (String name : names) {
        assertThat(sluice.lock(name, LONG).tryAcquire()).isPresent();
      }
      assertThat(sluice.inspect().lockNames(100).names())
          .containsExactlyInAnyOrderElementsOf(names);
      assertThat(sluice.inspect().lockNames(3).names()).hasSize(3);
      assertThat(Nodes.encode("ä").getBytes(StandardCharsets.US_ASCII))
          .asString()
          .isEqualTo("%C3%A4");
    }
  }

  @Test
  void orderMayBeNegativeAndShort() {
    assertThat(Nodes.Node.parse("/x", String.format("a.1.1.%010d", -1)).order()).isEqualTo(-1);
    Nodes.Capacity lowered = new Nodes.Capacity(3, -1);
    assertThat(Nodes.Capacity.parse("/x", lowered.bytes())).isEqualTo(lowered);
    assertThat(Nodes.isNearTheEnd("/x", "a.1.1.2147483000")).isTrue();
    assertThat(Nodes.isNearTheEnd("/x", "a.1.1.2146000000")).isFalse();
  }

  @Test
  void driverThatLeavesOutTheTlsOfTheUriIsRefused() {
    ZKClientConfig plain = new ZKClientConfig();
    assertThatThrownBy(
            () ->
                ZooKeeperBackend.builder()
                    .uri("zookeeper://u:secret@127.0.0.1:1/x?tls=true")
                    .driver(plain)
                    .build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("tls=true")
        .hasMessageContaining("zookeeper.client.secure")
        .hasMessageNotContaining("secret");
  }

  @Test
  void orderOfTheServersMayWrapAround() {
    Session.Children seen =
        new Session.Children(
            List.of("c.1.1.-2147483648", "b.1.1.2147483647", "a.1.1.2147483646"),
            new org.apache.zookeeper.data.Stat());
    assertThat(Nodes.Queue.of("/x", seen, Nodes.Capacity.ONE).nodes())
        .extracting(Nodes.Node::client)
        .containsExactly("a", "b", "c");
  }
}
