package dev.sluice.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Doctor;
import dev.sluice.Finding;
import dev.sluice.Finding.Severity;
import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Sessions of these servers last a second at least, and a minute at most. */
class ZooKeeperDoctorIT {
  private static Ensemble ensemble;

  @BeforeAll
  static void start() throws Exception {
    ensemble = new Ensemble();
  }

  @AfterAll
  static void stop() throws Exception {
    ensemble.close();
  }

  private static List<Finding> examine(String uri) {
    return Doctor.examine(List.of(uri), Duration.ofSeconds(30));
  }

  private static String good(String path) {
    return "zookeeper://app:secret@" + ensemble.servers() + path;
  }

  private static void assertFound(String uri, Severity severity, String id, String what) {
    assertThat(examine(uri))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.id()).isEqualTo(id);
              assertThat(finding.severity()).isEqualTo(severity);
              assertThat(finding.what()).contains(what);
              assertThat(finding.toString()).doesNotContain("secret");
            });
  }

  @Test
  void goodEnsembleHasNothingAlsoWhileItIsUsed() throws Exception {
    assertThat(examine(good("/good"))).isEmpty();
    try (Sluice sluice = Sluice.connect(good("/good"));
        Lease lease = sluice.lock("x").acquire(Duration.ofSeconds(30))) {
      assertThat(lease.token()).isPositive();
      assertThat(examine(good("/good"))).isEmpty();
      assertThat(sluice.diagnose()).isEmpty();
    }
  }

  @Test
  void nothingIsChanged() throws Exception {
    CuratorFramework hand = ensemble.hand();
    hand.create().creatingParentsIfNeeded().forPath("/same/sluice/locks");
    Stat before = hand.checkExists().forPath("/same/sluice/locks");
    examine(good("/same"));
    examine(good("/missing"));

    assertThat(hand.checkExists().forPath("/same/sluice/locks")).isEqualTo(before);
    assertThat(hand.checkExists().forPath("/missing")).isNull();
  }

  @Test
  void sessionsThatTheServersMakeLongerAreTooShortForThem() {
    assertFound(
        good("/short?sessionTimeout=500ms"),
        Severity.WARNING,
        "session-timeout",
        "sessions of 500 ms, and the servers grant none below 1000");
  }

  @Test
  void sessionsThatTheServersMakeShorterAreTold() {
    assertFound(
        good("/long?sessionTimeout=300s"),
        Severity.INFO,
        "session-timeout",
        "sessions of 300000 ms, and the servers grant none above 60000");
  }

  @Test
  void nodesThatAnybodyMayDeleteAreTold() {
    assertFound(
        "zookeeper://" + ensemble.servers() + "/open",
        Severity.WARNING,
        "open-to-all",
        "deleted by anybody");
  }

  @Test
  void rightsThatAreMissingAreToldWhereTheyAre() throws Exception {
    Id app = new Id("digest", DigestAuthenticationProvider.generateDigest("app:secret"));
    Id other = new Id("digest", DigestAuthenticationProvider.generateDigest("other:word"));
    CuratorFramework hand = ensemble.hand();
    hand.create().withACL(List.of(new ACL(ZooDefs.Perms.ALL, other))).forPath("/theirs");
    hand.create()
        .withACL(List.of(new ACL(ZooDefs.Perms.ALL & ~ZooDefs.Perms.DELETE, app)))
        .forPath("/keeps");

    assertFound(good("/theirs"), Severity.ERROR, "rights", "nodes at /theirs");
    assertFound(good("/keeps"), Severity.ERROR, "rights", "nodes at /keeps");
    assertThat(examine("zookeeper://other:word@" + ensemble.servers() + "/theirs")).isEmpty();
  }

  @Test
  void serversThatWeMayNotCountAreTold() throws Exception {
    try (CuratorFramework root =
        CuratorFrameworkFactory.builder()
            .connectString(ensemble.servers())
            .retryPolicy(new RetryOneTime(100))
            .authorization("digest", "super:secret".getBytes(StandardCharsets.UTF_8))
            .build()) {
      root.start();
      root.setACL().withACL(ZooDefs.Ids.CREATOR_ALL_ACL).forPath("/zookeeper/config");
      try {
        assertFound(good("/counted"), Severity.WARNING, "not-told", "/zookeeper/config");
      } finally {
        root.setACL().withACL(ZooDefs.Ids.READ_ACL_UNSAFE).forPath("/zookeeper/config");
      }
    }
  }

  @Test
  void oneServerIsNoEnsemble() throws Exception {
    try (TestingServer alone = new TestingServer(Servers.spec(1000), true)) {
      assertFound(
          "zookeeper://app:secret@" + alone.getConnectString() + "/x",
          Severity.WARNING,
          "one-server",
          "one server");
    }
  }

  @Test
  void twoServersAreOneTooMany() throws Exception {
    List<InstanceSpec> members = List.of(Servers.spec(1000), Servers.spec(1000));
    try (TestingCluster two = new TestingCluster(members)) {
      two.start();
      assertFound(
          "zookeeper://app:secret@" + two.getConnectString() + "/x",
          Severity.WARNING,
          "even-count",
          "2 servers vote");
    }
  }

  @Test
  void whereNobodyAnswersIsAFinding() {
    assertThat(
            Doctor.examine(List.of("zookeeper://app:secret@127.0.0.1:1/x"), Duration.ofMillis(300)))
        .singleElement()
        .satisfies(finding -> assertThat(finding.id()).isEqualTo("unreachable"));
  }
}
