package dev.sluice.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.BackendException;
import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.NotReplicatedException;
import dev.sluice.redis.ClusterStore;
import dev.sluice.redis.OpenedRedis;
import dev.sluice.redis.PatientClient;
import dev.sluice.redis.RedisBackend;
import dev.sluice.redis.doctor.AclIT;
import dev.sluice.redis.doctor.RedisFinding;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisCluster;
import dev.sluice.servers.RedisServer;
import dev.sluice.servers.SourceTree;
import dev.sluice.spi.BackendSettings;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connecting to a cluster, and behaviour that is particular to one. */
@Timeout(120)
class ClusterIT {
  private static final Duration AGES = Duration.ofSeconds(30);
  private static final BackendSettings SETTINGS = new BackendSettings(Duration.ofSeconds(20));

  private final RedisCluster cluster = ClusterStore.cluster();

  @BeforeEach
  void empty() {
    cluster.flush();
  }

  @Test
  void theClientOfAnApplicationStaysOpen() throws Exception {
    RedisServer any = cluster.masters().get(1);
    RedisClusterClient client = RedisClusterClient.create(RedisURI.create(any.uri()));
    try {
      try (RedisBackend backend = OpenedRedis.builder(SETTINGS).cluster(client).build();
          Sluice sluice = Sluice.builder().backend(backend).build()) {
        for (int i = 0; i < 20; i++) {
          sluice.lock("n" + i).acquire(AGES).close();
        }
        assertThat(sluice.describe()).isEqualTo("Redis Cluster");
      }
      assertThat(client.connect().sync().ping()).isEqualTo("PONG");
    } finally {
      client.shutdown(0, 2, TimeUnit.SECONDS);
    }
  }

  @Test
  void oneOfItsServersIsEnoughToFindTheOthers() throws Exception {
    RedisServer any = cluster.masters().get(2);
    try (Sluice sluice = PatientClient.connect("redis-cluster://127.0.0.1:" + any.port() + "/")) {
      List<Lease> leases = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        leases.add(sluice.lock("n" + i).acquire(AGES));
      }
      assertThat(cluster.masters())
          .allSatisfy(master -> assertThat((Long) master.call("DBSIZE")).isPositive());
      leases.forEach(Lease::close);
      assertThat(sluice.describe()).isEqualTo("Redis Cluster at 127.0.0.1:" + any.port());
    }
  }

  @Test
  void messagesReachAnInboxOnAnyServer() throws Exception {
    try (Sluice one = PatientClient.connect(cluster.uri());
        Sluice two = PatientClient.connect(cluster.uri())) {
      List<Lease> held = new ArrayList<>();
      List<CompletableFuture<Lease>> waiting = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        held.add(one.lock("n" + i).acquire(AGES));
        waiting.add(two.lock("n" + i).async().acquire(AGES).toCompletableFuture());
      }
      for (int i = 0; i < 12; i++) {
        held.get(i).close();
        waiting.get(i).get(30, TimeUnit.SECONDS).close();
      }
      long published = 0;
      for (RedisServer master : cluster.masters()) {
        String info = String.valueOf(master.call("CLUSTER", "INFO"));
        published += info.contains("messages_publish_sent") ? 1 : 0;
      }
      assertThat(published).as("masters that sent messages to the others").isEqualTo(3);
    }
  }

  @Test
  void theDoctorTellsOfMastersWithoutAReplica() {
    try (RedisBackend backend = OpenedRedis.connect(cluster.uri(), SETTINGS)) {
      assertThat(backend.diagnose().toCompletableFuture().join())
          .filteredOn(finding -> finding.id().equals(RedisFinding.NO_REPLICA.id()))
          .hasSize(3);
    }
  }

  @Test
  void aUserWithTheDocumentedRightsIsEnough() throws Exception {
    List<String> words = new ArrayList<>(List.of("ACL", "SETUSER", "sluice"));
    words.addAll(AclIT.documentedRules());
    words.addAll(documentedClusterRules());
    for (RedisServer node : cluster.nodes()) {
      node.call(words.toArray(new String[0]));
      node.call("ACL", "LOG", "RESET");
    }
    String uri = cluster.uri().replace("redis-cluster://", "redis-cluster://sluice:secret@");
    try (Sluice one = PatientClient.connect(uri);
        Sluice two = PatientClient.connect(uri)) {
      Lease lease = one.lock("x").acquire(AGES);
      CompletableFuture<Lease> waiting = two.lock("x").async().acquire(AGES).toCompletableFuture();
      int slot = cluster.slot("sl:{y}:lock");
      RedisServer from = cluster.masterOf(slot);
      RedisServer to =
          cluster.masters().stream().filter(master -> master != from).findFirst().orElseThrow();
      cluster.beginMove(slot, to);
      try (Lease asked = one.lock("y").acquire(AGES)) {
        assertThat(asked.remaining()).isPositive();
      }
      cluster.moveKeys(slot, to);
      cluster.endMove(slot, to);
      one.lock("y").acquire(AGES).close();
      lease.close();
      waiting.get(30, TimeUnit.SECONDS).close();
      assertThat(two.inspect().lockNames(10).names()).contains("x", "y");
      for (RedisServer node : cluster.nodes()) {
        assertThat((List<?>) node.call("ACL", "LOG"))
            .as("what was refused, but for the driver's own name")
            .allMatch(entry -> ((List<?>) entry).toString().contains("object, client"));
      }
    } finally {
      for (RedisServer node : cluster.nodes()) {
        node.call("ACL", "DELUSER", "sluice");
      }
    }
  }

  /** The rights of the page that each server of a cluster needs beside the others. */
  private static List<String> documentedClusterRules() throws IOException {
    String page = Files.readString(SourceTree.path("docs/redis-topologies.md"));
    Matcher line =
        Pattern.compile("\\*\\*Rights\\*\\* on every server[^`]*`([^`]+)`").matcher(page);
    assertThat(line.find()).isTrue();
    return List.of(line.group(1).split(" "));
  }

  @Test
  void badUrisAreRefusedWithoutTheirPasswords() {
    for (String uri :
        List.of(
            "redis-cluster://",
            "redis-cluster://u:secret@a:7000,b:x",
            "redis-cluster://u:secret@a:7000/3")) {
      assertThatThrownBy(() -> Sluice.connect(uri))
          .as(uri)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageNotContaining("secret");
    }
  }

  @Test
  void aServerThatIsNoClusterSaysSo() {
    try (RedisServer single = RedisServer.start()) {
      assertThatThrownBy(() -> Sluice.connect("redis-cluster://127.0.0.1:" + single.port()))
          .isInstanceOf(BackendException.class)
          .hasMessageContaining("cannot be used");
    }
  }

  @Test
  void replicasOfEachMasterConfirm() throws Exception {
    try (RedisCluster replicated = RedisCluster.start(RedisBinary.any(), 3, 1);
        Sluice sluice = Sluice.connect(replicated.uri() + "?replicas=all&replicaTimeout=900ms");
        Sluice other = Sluice.connect(replicated.uri())) {
      for (int i = 0; i < 20; i++) {
        sluice.lock("n" + i).acquire(AGES).close();
      }
      RedisServer frozen = replicated.replicas().get(0);
      int missed = 0;
      frozen.pause();
      try {
        for (int i = 0; i < 20; i++) {
          RedisServer master = replicated.masterOf(replicated.slot("sl:{n" + i + "}:lock"));
          if (master != replicated.masters().get(0)) {
            sluice.lock("n" + i).acquire(AGES).close();
          } else if (missed++ == 0) {
            String name = "n" + i;
            assertThatThrownBy(() -> sluice.lock(name).tryAcquire())
                .isInstanceOf(NotReplicatedException.class);
            assertThat(other.lock(name).tryAcquire()).isPresent();
          }
        }
      } finally {
        frozen.resume();
      }
      assertThat(missed).isPositive();
    }
  }
}
