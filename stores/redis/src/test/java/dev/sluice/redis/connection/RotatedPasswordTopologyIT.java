package dev.sluice.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.BackendException;
import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import dev.sluice.redis.QuorumOptions;
import dev.sluice.redis.RedisBackend;
import dev.sluice.redis.RedisQuorum;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisCluster;
import dev.sluice.servers.RedisSentinel;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.Backend;
import dev.sluice.spi.BackendSettings;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The password of the ACL user changes on all servers of a cluster, a Sentinel or a quorum. */
@EachRedis
class RotatedPasswordTopologyIT {
  private static final Duration AGES = Duration.ofSeconds(60);
  private static final Duration TTL = Duration.ofMinutes(10);
  private static final LockOptions FIXED = LockOptions.fixed(TTL);

  /** Enough names that each master of a cluster has some. */
  private static final int NAMES = 12;

  private final RedisBinary binary;

  RotatedPasswordTopologyIT(RedisBinary binary) {
    this.binary = binary;
  }

  /** The URI of a server, with a provider of the current credentials. */
  private static RedisURI uri(RedisServer server, RedisCredentialsProvider provider) {
    RedisURI uri = RedisURI.create(server.uri());
    uri.setCredentialsProvider(provider);
    return uri;
  }

  /** The provider of the server that is named is asked for the others too. */
  private static Backend cluster(RedisCluster cluster, RedisCredentialsProvider provider) {
    return RedisBackend.builder()
        .clusterServers(List.of(uri(cluster.nodes().get(0), provider)))
        .requestTimeout(AGES)
        .build();
  }

  private static Backend sentinel(RedisSentinel watched, RedisCredentialsProvider provider) {
    RedisURI uri =
        RedisURI.builder()
            .withSentinel("127.0.0.1", watched.sentinels().get(0).port())
            .withSentinelMasterId("main")
            .build();
    uri.setCredentialsProvider(provider);
    return RedisBackend.builder().server(uri).requestTimeout(AGES).build();
  }

  private static Backend quorum(List<RedisServer> nodes, RedisCredentialsProvider provider) {
    return RedisQuorum.connect(
        nodes.stream().map(node -> uri(node, provider)).toList(),
        QuorumOptions.of(new BackendSettings(Duration.ofSeconds(6))).maxTtl(TTL).fresh());
  }

  private static void all(List<RedisServer> servers, String... words) {
    servers.forEach(server -> server.call(words));
  }

  private static void addUser(List<RedisServer> servers, String user, String password) {
    all(servers, "ACL", "SETUSER", user, "on", ">" + password, "~*", "&*", "+@all");
  }

  /** The connections of a user, each with its server. */
  private static List<String> connectionsOf(List<RedisServer> servers, String user) {
    List<String> found = new ArrayList<>();
    for (RedisServer server : servers) {
      String.valueOf(server.call("CLIENT", "LIST"))
          .lines()
          .filter(line -> line.contains(" user=" + user + " "))
          .map(line -> server.port() + " " + line.substring(0, line.indexOf(' ')))
          .forEach(found::add);
    }
    return found;
  }

  private static List<Lease> acquireAll(Sluice sluice, String start) throws InterruptedException {
    List<Lease> leases = new ArrayList<>();
    for (int i = 0; i < NAMES; i++) {
      leases.add(sluice.lock(start + i, FIXED).acquire(AGES));
    }
    return leases;
  }

  private static void renewAll(List<Lease> leases) {
    for (Lease lease : leases) {
      await()
          .atMost(AGES)
          .ignoreExceptionsInstanceOf(BackendException.class)
          .until(() -> lease.renew(TTL));
      lease.checkHeld();
    }
  }

  /** The old password ends, and so do all connections of the user. */
  private static void assertRotates(List<RedisServer> servers, Connect connect)
      throws InterruptedException {
    addUser(servers, "app", "old-secret");
    Rotating credentials = new Rotating();
    Supplier<Backend> open = () -> connect.to(credentials.provider());
    try (Backend backend = open.get();
        Sluice sluice = Sluice.builder().backend(backend).build()) {
      List<Lease> leases = acquireAll(sluice, "before-");
      assertThat(connectionsOf(servers, "app")).isNotEmpty();

      all(servers, "ACL", "SETUSER", "app", ">new-secret");
      credentials.password = "new-secret";
      all(servers, "ACL", "SETUSER", "app", "<old-secret");
      leases.forEach(lease -> assertThat(lease.renew(TTL)).isTrue());

      all(servers, "CLIENT", "KILL", "USER", "app");
      renewAll(leases);
      acquireAll(sluice, "after-").forEach(Lease::close);
      try (Backend another = open.get();
          Sluice late = Sluice.builder().backend(another).build()) {
        acquireAll(late, "late-").forEach(Lease::close);
        assertThat(late.lock("before-0", FIXED).tryAcquire()).isEmpty();
      }
      leases.forEach(Lease::close);
    }
  }

  /** Open connections authenticate as the next user before the old one is deleted. */
  private static void assertAuthenticatesAgain(List<RedisServer> servers, Connect connect)
      throws InterruptedException {
    addUser(servers, "app", "old-secret");
    addUser(servers, "next", "new-secret");
    EmittedCredentials credentials = new EmittedCredentials("app", "old-secret");
    try (Backend backend = connect.to(credentials);
        Sluice sluice = Sluice.builder().backend(backend).build()) {
      List<Lease> leases = acquireAll(sluice, "x-");
      List<String> before = connectionsOf(servers, "app");
      assertThat(before).isNotEmpty();

      credentials.emit("next", "new-secret");
      await()
          .atMost(AGES)
          .until(
              () ->
                  connectionsOf(servers, "app").isEmpty()
                      && !Collections.disjoint(connectionsOf(servers, "next"), before));
      all(servers, "ACL", "DELUSER", "app");
      leases.forEach(lease -> assertThat(lease.renew(TTL)).isTrue());
      acquireAll(sluice, "after-").forEach(Lease::close);
      leases.forEach(Lease::close);
    }
  }

  /** Opens a backend. */
  @FunctionalInterface
  private interface Connect {
    Backend to(RedisCredentialsProvider provider);
  }

  /** A provider that is asked for each connection. */
  private static final class Rotating {
    private volatile String password = "old-secret";

    RedisCredentialsProvider provider() {
      return RedisCredentialsProvider.from(() -> RedisCredentials.just("app", password));
    }
  }

  private static void assertRotatesBothWays(List<RedisServer> servers, Connect connect)
      throws InterruptedException {
    assertRotates(servers, connect);
    assertAuthenticatesAgain(servers, connect);
  }

  @Test
  void leasesOfAClusterStayHeldAndConnectionsTakeNewCredentials() throws Exception {
    try (RedisCluster cluster = RedisCluster.start(binary, 3, 0)) {
      assertRotatesBothWays(cluster.nodes(), provider -> cluster(cluster, provider));
    }
  }

  @Test
  void leasesOfAMasterBySentinelStayHeldAndConnectionsTakeNewCredentials() throws Exception {
    try (RedisSentinel watched = RedisSentinel.start(binary, 1, AGES)) {
      assertRotatesBothWays(
          List.of(watched.master(), watched.replica()), provider -> sentinel(watched, provider));
    }
  }

  @Test
  void leasesOfAQuorumStayHeldAndConnectionsTakeNewCredentials() throws Exception {
    List<RedisServer> nodes = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        nodes.add(RedisServer.start(binary));
      }
      assertRotatesBothWays(nodes, provider -> quorum(nodes, provider));
    } finally {
      nodes.forEach(RedisServer::close);
    }
  }
}
