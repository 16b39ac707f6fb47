package dev.sluice.spring.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.BackendException;
import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.servers.Certificates;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisCluster;
import dev.sluice.servers.RedisSentinel;
import dev.sluice.servers.RedisServer;
import dev.sluice.servers.ServerProcess;
import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.internal.SluiceFailureAnalyzer;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The Redis of spring.data.redis, real ones: alone, with TLS, by Sentinel, as a cluster. */
class RedisStoreIT {
  private static final Duration AGES = Duration.ofSeconds(30);
  private static final String SECRET = "h@sh:/?#";

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  SslAutoConfiguration.class,
                  DataRedisAutoConfiguration.class,
                  SluiceStoreAutoConfiguration.class,
                  SluiceAutoConfiguration.class))
          .withPropertyValues("sluice.request-timeout=10s", "spring.data.redis.host=127.0.0.1");

  /** Who does not know the password sees nothing. */
  private static void admit(RedisServer server) {
    server.call("ACL", "SETUSER", "shop", "on", ">" + SECRET, "~*", "&*", "+@all");
  }

  private static boolean isConnected(RedisServer server) {
    return String.valueOf(server.call("CLIENT", "LIST")).contains("user=shop");
  }

  private static void assertWorks(ApplicationContextRunner runner, String store) {
    runner.run(
        context -> {
          assertThat(context).hasNotFailed();
          Sluice sluice = context.getBean(Sluice.class);
          assertThat(sluice.describe()).isEqualTo(store);
          try (Lease lease = sluice.lock("seat").acquire(AGES)) {
            assertThat(sluice.inspect().lock("seat").holder()).isPresent();
          }
        });
  }

  private static FailureAnalysis failure(ApplicationContextRunner runner) {
    FailureAnalysis[] found = new FailureAnalysis[1];
    runner.run(
        context -> found[0] = new SluiceFailureAnalyzer().analyze(context.getStartupFailure()));
    assertThat(found[0]).as("an analysis").isNotNull();
    return found[0];
  }

  @Test
  void oneServerIsUsedWithUserPasswordAndDatabase() {
    try (RedisServer server = RedisServer.start()) {
      admit(server);
      String store = "Redis at 127.0.0.1:" + server.port();
      ApplicationContextRunner redis =
          runner.withPropertyValues(
              "spring.data.redis.port=" + server.port(),
              "spring.data.redis.username=shop",
              "spring.data.redis.password=" + SECRET,
              "spring.data.redis.database=3");
      redis.run(
          context -> {
            Sluice sluice = context.getBean(Sluice.class);
            assertThat(sluice.describe()).isEqualTo(store);
            try (Lease lease = sluice.lock("seat").acquire(AGES)) {
              assertThat(isConnected(server)).isTrue();
              assertThat(String.valueOf(server.call("INFO", "keyspace"))).contains("db3:");
            }
          });
      await().atMost(AGES).until(() -> !isConnected(server));
      assertWorks(redis.withPropertyValues("sluice.store=redis"), store);
      assertWorks(redis.withPropertyValues("sluice.namespace=shop"), store + " in namespace shop");

      FailureAnalysis wrong =
          failure(redis.withPropertyValues("spring.data.redis.password=other@" + SECRET));
      assertThat(wrong.getDescription())
          .contains(store + " cannot be used", "WRONGPASS")
          .doesNotContain(SECRET);
      assertThat(wrong.getAction()).contains("spring.data.redis.*");
      server.call("ACL", "SETUSER", "default", "on", ">known");
      assertThat(
              failure(runner.withPropertyValues("spring.data.redis.port=" + server.port()))
                  .getDescription())
          .contains("a password is required, and none was given");
    }
  }

  /** A bean of the application that returns the current password. */
  private static RedisCredentialsProvider provider(AtomicReference<String> password) {
    return RedisCredentialsProvider.from(() -> RedisCredentials.just("shop", password.get()));
  }

  @Test
  void aBeanWithCredentialsIsAskedForEachConnection() {
    try (RedisServer server = RedisServer.start()) {
      admit(server);
      AtomicReference<String> password = new AtomicReference<>(SECRET);
      ApplicationContextRunner redis =
          runner
              .withPropertyValues(
                  "spring.data.redis.port=" + server.port(),
                  "spring.data.redis.username=nobody",
                  "spring.data.redis.password=wrong")
              .withBean("rotating", RedisCredentialsProvider.class, () -> provider(password));
      redis.run(
          context -> {
            Sluice sluice = context.getBean(Sluice.class);
            try (Lease lease = sluice.lock("seat").acquire(AGES)) {
              server.call("ACL", "SETUSER", "shop", ">next");
              password.set("next");
              server.call("ACL", "SETUSER", "shop", "<" + SECRET);
              assertThat((Long) server.call("CLIENT", "KILL", "USER", "shop")).isPositive();
              await()
                  .atMost(AGES)
                  .ignoreExceptionsInstanceOf(BackendException.class)
                  .until(() -> lease.renew(Duration.ofMinutes(1)));
              assertThat(isConnected(server)).isTrue();
            }
          });

      // with two of them neither is taken, unless one is primary
      ApplicationContextRunner two =
          redis.withBean(
              "other",
              RedisCredentialsProvider.class,
              () -> provider(new AtomicReference<>("unknown")));
      assertThat(failure(two).getDescription()).contains("WRONGPASS");
    }
  }

  @Test
  void bundlesOfCertificatesAreUsed(@TempDir Path folder) throws Exception {
    try (RedisServer plain = RedisServer.start()) {
      boolean speaksTls =
          plain.call("CONFIG", "GET", "tls-port") instanceof List<?> answer && !answer.isEmpty();
      assumeTrue(
          speaksTls,
          "Redis with TLS: the redis-server on the PATH has none (Debian: apt-get install"
              + " redis-server)");
    }
    // the client shows the server's own certificate: to sign another one takes seconds
    Certificates ours =
        new Certificates(folder, "ours").sign("server", "dns:localhost,ip:127.0.0.1");
    int port = ServerProcess.freePort(); // as late as possible: others take ports too
    try (RedisServer server =
        RedisServer.start(
            "--tls-port",
            "" + port,
            "--tls-cert-file",
            ours.certificate("server").toString(),
            "--tls-key-file",
            ours.key("server").toString(),
            "--tls-ca-cert-file",
            ours.authority().toString(),
            "--tls-auth-clients",
            "yes")) {
      String store = "Redis at 127.0.0.1:" + port + " with TLS";
      ApplicationContextRunner tls =
          runner.withPropertyValues(
              "spring.ssl.bundle.pem.shop.truststore.certificate=file:" + ours.authority(),
              "spring.ssl.bundle.pem.shop.keystore.certificate=file:" + ours.certificate("server"),
              "spring.ssl.bundle.pem.shop.keystore.private-key=file:" + ours.key("server"),
              "spring.data.redis.port=" + port);
      assertWorks(
          tls.withPropertyValues(
              "spring.data.redis.ssl.enabled=true", "spring.data.redis.ssl.bundle=shop"),
          store);
      // by the certificates of the JVM, which does not know ours
      assertThat(
              failure(tls.withPropertyValues("spring.data.redis.url=rediss://127.0.0.1:" + port))
                  .getDescription())
          .contains(store + " cannot be used");
      assertThat(server.isRunning()).isTrue();
    }
  }

  private static ApplicationContextRunner withProvider(ApplicationContextRunner redis) {
    return redis.withBean(
        RedisCredentialsProvider.class, () -> provider(new AtomicReference<>(SECRET)));
  }

  @Test
  void theMasterThatSentinelsNameIsUsed() {
    try (RedisSentinel watched =
        RedisSentinel.start(RedisBinary.any(), 1, Duration.ofSeconds(30))) {
      admit(watched.master());
      RedisServer sentinel = watched.sentinels().get(0);
      sentinel.call("ACL", "SETUSER", "watcher", "on", ">seen", "&*", "+@all");
      sentinel.call("ACL", "SETUSER", "default", "off");
      String store = "Redis master 'main' by Sentinel at 127.0.0.1:" + sentinel.port();
      ApplicationContextRunner redis =
          runner.withPropertyValues(
              "spring.data.redis.sentinel.master=main",
              "spring.data.redis.sentinel.nodes=127.0.0.1:" + sentinel.port(),
              "spring.data.redis.sentinel.username=watcher",
              "spring.data.redis.sentinel.password=seen");
      assertWorks(
          redis.withPropertyValues(
              "spring.data.redis.username=shop", "spring.data.redis.password=" + SECRET),
          store);
      watched.master().call("ACL", "SETUSER", "default", "off");
      assertWorks(withProvider(redis), store);
    }
  }

  @Test
  void aClusterIsUsed() {
    try (RedisCluster cluster = RedisCluster.start(RedisBinary.any(), 1, 0)) {
      RedisServer node = cluster.masters().get(0);
      admit(node);
      String store = "Redis Cluster at 127.0.0.1:" + node.port();
      ApplicationContextRunner redis =
          runner.withPropertyValues("spring.data.redis.cluster.nodes=127.0.0.1:" + node.port());
      assertWorks(
          redis.withPropertyValues(
              "spring.data.redis.username=shop", "spring.data.redis.password=" + SECRET),
          store);
      node.call("ACL", "SETUSER", "default", "off");
      assertWorks(withProvider(redis), store);
    }
  }

  @Test
  void serversOfWhichNobodySaysWhichIsTheMasterAreRefused() {
    assertThat(
            failure(runner.withPropertyValues("spring.data.redis.masterreplica.nodes=127.0.0.1:1"))
                .getDescription())
        .contains("set sluice.url to the master's");
  }
}
