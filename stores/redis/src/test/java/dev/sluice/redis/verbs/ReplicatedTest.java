package dev.sluice.redis.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.ReplicaPolicy;
import dev.sluice.redis.command.Call;
import dev.sluice.redis.command.Script;
import dev.sluice.redis.command.ScriptCall;
import dev.sluice.redis.connection.CommandConnection;
import dev.sluice.redis.connection.Replicated;
import dev.sluice.redis.connection.ScriptRunner;
import dev.sluice.redis.connection.SingleRoute;
import dev.sluice.redis.keys.KeySpace;
import dev.sluice.redis.keys.LockKeys;
import dev.sluice.redis.keys.Wire;
import dev.sluice.spi.RenewReply;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.resource.ClientResources;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The proof that a replica has a change, on a connection whose answers the test chooses. */
@Timeout(60)
class ReplicatedTest {
  private static final Duration AGES = Duration.ofSeconds(30);

  private final ClientResources resources = ClientResources.create();
  private final List<String> sent = new ArrayList<>();
  private @Nullable SingleRoute route;
  private @Nullable RedisChannelHandler<?, ?> nobody;

  /** Whether the connection is replaced as soon as the next script was answered. */
  private boolean changes;

  private boolean isReplica;

  private CompletableFuture<RenewReply> renew(ReplicaPolicy policy) {
    StatefulRedisConnection<?, ?> connection =
        (StatefulRedisConnection<?, ?>)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {StatefulRedisConnection.class},
                (self, method, arguments) ->
                    switch (method.getName()) {
                      case "dispatch" -> answer((Call<?>) arguments[0]);
                      case "getResources" -> resources;
                      case "closeAsync" -> CompletableFuture.completedFuture(null);
                      default -> null;
                    });
    @SuppressWarnings("unchecked")
    SingleRoute single =
        new SingleRoute("Redis", (StatefulRedisConnection<String, String>) connection, true, AGES);
    route = single;
    Replicated replicated =
        new Replicated(
            "Redis",
            new ScriptRunner("Redis", single),
            policy.timeout(Duration.ofSeconds(10)),
            AGES);
    return replicated.run(
        "lease",
        Script.load("lock/renew", UnaryOperator.identity()),
        LockKeys.ofLocks(KeySpace.PLAIN).of("x"),
        "me",
        new long[] {1, 1000},
        RedisGrants::renewed);
  }

  private Call<?> answer(Call<?> call) {
    sent.add(call.getType().toString());
    switch (call.getType().toString()) {
      case "ROLE" -> {
        call.getOutput().set(ByteBuffer.wrap(Wire.bytes(isReplica ? "slave" : "master")));
        for (String word : List.of("127.0.0.1", "6380", "77")) {
          call.getOutput().set(ByteBuffer.wrap(Wire.bytes(word)));
        }
      }
      case "WAIT" -> call.getOutput().set(1);
      default -> List.of(1L, 1000L, 0L).forEach(call.getOutput()::set);
    }
    call.complete();
    SingleRoute single = route;
    if (changes && call instanceof ScriptCall<?> && single != null) {
      changes = false;
      CommandConnection connection = single.connection(LockKeys.ofLocks(KeySpace.PLAIN).of("x"));
      connection.onRedisDisconnected(nobody);
      connection.onRedisConnected(nobody, new InetSocketAddress(0));
    }
    return call;
  }

  @AfterEach
  void stop() {
    if (route != null) {
      route.close();
    }
    resources.shutdown(0, 2, TimeUnit.SECONDS);
  }

  @Test
  void theServerIsAskedForItsReplicasBeforeAnythingIsWritten() throws Exception {
    assertThat(renew(ReplicaPolicy.all()).get(30, TimeUnit.SECONDS))
        .isEqualTo(new RenewReply.Renewed(1000, 0));
    assertThat(sent).containsExactly("ROLE", "EVALSHA", "WAIT");
  }

  @Test
  void aServerThatIsNoMasterGetsNothing() {
    isReplica = true;
    assertThat(renew(ReplicaPolicy.all())).failsWithin(AGES);
    assertThat(sent).containsExactly("ROLE");
  }

  @Test
  void aConnectionThatChangedInBetweenConfirmsNothing() throws Exception {
    changes = true;
    renew(ReplicaPolicy.all()).get(30, TimeUnit.SECONDS);
    assertThat(sent).containsExactly("ROLE", "EVALSHA", "WAIT", "ROLE", "EVALSHA", "WAIT");
  }

  @Test
  void theSameWithANumberOfReplicas() throws Exception {
    changes = true;
    renew(ReplicaPolicy.atLeast(1)).get(30, TimeUnit.SECONDS);
    assertThat(sent).containsExactly("EVALSHA", "WAIT", "EVALSHA", "WAIT");
  }
}
