package dev.sluice.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.BackendException;
import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import dev.sluice.redis.RedisBackend;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisServer;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The password of the ACL user changes, and the driver's provider returns the current one. */
@EachRedis
class RotatedPasswordIT {
  private static final Duration AGES = Duration.ofSeconds(30);
  private static final LockOptions FIXED = LockOptions.fixed(Duration.ofMinutes(10));

  private final RedisServer server;
  private volatile String password = "old-secret";

  RotatedPasswordIT(RedisBinary binary) {
    server = RedisServer.start(binary);
  }

  @BeforeEach
  void addUser() {
    server.call("ACL", "SETUSER", "app", "on", ">old-secret", "~*", "&*", "+@all");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private RedisBackend connect() {
    RedisURI uri = RedisURI.create(server.uri());
    uri.setCredentialsProvider(
        RedisCredentialsProvider.from(() -> RedisCredentials.just("app", password)));
    return RedisBackend.builder().server(uri).requestTimeout(AGES).build();
  }

  @Test
  void aLeaseStaysHeldWhenItsConnectionsBreakAfterTheRotation() throws InterruptedException {
    try (RedisBackend backend = connect();
        Sluice sluice = Sluice.builder().backend(backend).build();
        Lease lease = sluice.lock("x", FIXED).acquire(AGES)) {
      server.call("ACL", "SETUSER", "app", ">new-secret");
      password = "new-secret";
      server.call("ACL", "SETUSER", "app", "<old-secret");
      assertThat(lease.renew(Duration.ofMinutes(10))).isTrue();

      assertThat((Long) server.call("CLIENT", "KILL", "USER", "app")).isPositive();
      await()
          .atMost(AGES)
          .ignoreExceptionsInstanceOf(BackendException.class)
          .until(() -> lease.renew(Duration.ofMinutes(10)));
      lease.checkHeld();
      try (Lease other = sluice.lock("y", FIXED).acquire(AGES)) {
        assertThat(other.remaining()).isPositive();
      }
    }
  }

  private Set<String> connectionsOf(String user) {
    return String.valueOf(server.call("CLIENT", "LIST"))
        .lines()
        .filter(line -> line.contains(" user=" + user + " "))
        .map(line -> line.substring(0, line.indexOf(' ')))
        .collect(Collectors.toSet());
  }

  @Test
  void openConnectionsTakeNewCredentialsWithoutAReconnect() throws InterruptedException {
    server.call("ACL", "SETUSER", "next", "on", ">new-secret", "~*", "&*", "+@all");
    EmittedCredentials credentials = new EmittedCredentials("app", "old-secret");
    RedisURI uri = RedisURI.create(server.uri());
    uri.setCredentialsProvider(credentials);
    try (RedisBackend backend = RedisBackend.builder().server(uri).requestTimeout(AGES).build();
        Sluice sluice = Sluice.builder().backend(backend).build();
        Lease lease = sluice.lock("x", FIXED).acquire(AGES)) {
      Set<String> before = connectionsOf("app");
      assertThat(before).isNotEmpty();

      credentials.emit("next", "new-secret");
      // a connection for messages may have opened meanwhile, so there can be more than before
      await()
          .atMost(AGES)
          .until(() -> connectionsOf("app").isEmpty() && connectionsOf("next").containsAll(before));
      server.call("ACL", "DELUSER", "app"); // ends connections that are still its own
      assertThat(lease.renew(Duration.ofMinutes(10))).isTrue();
      assertThat(connectionsOf("next")).containsAll(before);
    }
  }

  @Test
  void aWrongPasswordFailsWithoutThePasswordInTheMessageUntilItIsRight()
      throws InterruptedException {
    password = "wrong-secret";
    assertThatThrownBy(this::connect)
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("WRONGPASS")
        .hasMessageNotContaining("secret");

    password = "old-secret";
    try (RedisBackend backend = connect();
        Sluice sluice = Sluice.builder().backend(backend).build();
        Lease lease = sluice.lock("x", FIXED).acquire(AGES)) {
      lease.checkHeld();
    }
  }
}
