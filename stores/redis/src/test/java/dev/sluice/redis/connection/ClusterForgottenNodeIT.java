package dev.sluice.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.awaitility.Awaitility.await;

import dev.sluice.Finding;
import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.redis.OpenedRedis;
import dev.sluice.redis.RedisBackend;
import dev.sluice.redis.doctor.RedisFinding;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisCluster;
import dev.sluice.servers.RedisServer;
import dev.sluice.servers.SourceTree;
import dev.sluice.spi.BackendSettings;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that was removed from its cluster lives on, and for a moment is all that answers. */
@EachRedis
@Timeout(300)
class ClusterForgottenNodeIT {
  private static final Duration AGES = Duration.ofSeconds(60);
  private static final BackendSettings SETTINGS = new BackendSettings(Duration.ofSeconds(3));
  private static final Pattern CALLS = Pattern.compile("cmdstat_cluster[^:]*:calls=(\\d+)");

  private final RedisBinary binary;
  private RedisCluster cluster;
  private RedisServer removed;

  ClusterForgottenNodeIT(RedisBinary binary) {
    this.binary = binary;
  }

  @BeforeEach
  void start() {
    cluster = RedisCluster.start(binary, 3, 0);
    removed =
        RedisServer.start(
            binary,
            "--cluster-enabled",
            "yes",
            "--cluster-node-timeout",
            "2000",
            "--cluster-require-full-coverage",
            "no");
    removed.call("CLUSTER", "MEET", "127.0.0.1", "" + cluster.masters().get(0).port());
    String place = "127.0.0.1:" + removed.port() + "@";
    await()
        .atMost(AGES)
        .until(
            () ->
                cluster.masters().stream()
                    .map(ClusterForgottenNodeIT::nodes)
                    .allMatch(known -> known.contains(place) && !known.contains("handshake")));
    await().atMost(AGES).until(() -> nodes(removed).lines().count() == 4);
  }

  private static String nodes(RedisServer server) {
    return String.valueOf(server.call("CLUSTER", "NODES"));
  }

  @AfterEach
  void stop() {
    cluster.masters().forEach(RedisServer::resume);
    removed.close();
    cluster.close();
  }

  private void remove() {
    String id = cluster.id(removed);
    cluster.masters().forEach(master -> master.call("CLUSTER", "FORGET", id));
    removed.call("CLUSTER", "RESET", "SOFT");
  }

  /** How often the removed server was asked who serves what. */
  private long views() {
    Matcher calls = CALLS.matcher(String.valueOf(removed.call("INFO", "commandstats")));
    long all = 0;
    while (calls.find()) {
      all += Long.parseLong(calls.group(1));
    }
    return all;
  }

  @Test
  void theSeedsAreFoundAgain() {
    try (Sluice sluice =
        Sluice.builder().backend(OpenedRedis.connect(cluster.uri(), SETTINGS)).build()) {
      sluice.lock("x").tryAcquire().orElseThrow().close();
      remove();
      long before = views();
      cluster.masters().forEach(RedisServer::pause);
      await()
          .atMost(AGES)
          .until(
              () -> {
                fails(sluice);
                return views() >= before + 6;
              });
      cluster.masters().forEach(RedisServer::resume);
      await()
          .atMost(AGES)
          .ignoreExceptions()
          .untilAsserted(() -> sluice.lock("x").tryAcquire().orElseThrow().close());
    }
  }

  private static void fails(Sluice sluice) {
    try {
      sluice.inspect().lock("x");
    } catch (SluiceException e) {
      // nobody is there
    }
  }

  @Test
  void theDoctorFindsAClientThatAsksOnlyTheServersItKnows() throws IOException {
    RedisClusterClient client =
        RedisClusterClient.create(RedisURI.create(cluster.masters().get(0).uri()));
    try (RedisBackend backend = OpenedRedis.builder(SETTINGS).cluster(client).build()) {
      assertThat(findings(backend))
          .filteredOn(finding -> finding.id().equals(RedisFinding.REFRESH_SOURCES.id()))
          .singleElement()
          .extracting(Finding::fix, STRING)
          .contains("dynamicRefreshSources(false)")
          .isSubstringOf(Files.readString(SourceTree.path("docs/redis-topologies.md")))
          .isSubstringOf(Files.readString(SourceTree.path("docs/zh/redis-topologies.md")));
      client.setOptions(
          ClusterClientOptions.builder()
              .topologyRefreshOptions(
                  ClusterTopologyRefreshOptions.builder().dynamicRefreshSources(false).build())
              .build());
      assertThat(findings(backend))
          .extracting(Finding::id)
          .isNotEmpty()
          .doesNotContain(RedisFinding.REFRESH_SOURCES.id());
    } finally {
      client.shutdown(0, 2, TimeUnit.SECONDS);
    }
  }

  private static List<Finding> findings(RedisBackend backend) {
    return backend.diagnose().toCompletableFuture().join();
  }
}
