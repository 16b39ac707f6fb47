package dev.sluice.bench.systems;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * The least that a lock on a majority over Lettuce can cost: two commands to each server, all at
 * once, and no waiting for more than a majority. Nobody else may want the lock.
 */
final class RawQuorum implements LockSystem {
  private static final long TTL_MILLIS = 30_000;

  private static final String DELETE_IF_OWNER =
      "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

  private final RedisClient client = RedisClient.create();
  private final List<StatefulRedisConnection<String, String>> connections = new ArrayList<>();
  private final List<RedisAsyncCommands<String, String>> servers = new ArrayList<>();
  private final String deleteIfOwner;

  RawQuorum(String uri) {
    String sha = "";
    for (String server : QuorumKind.servers(uri)) {
      StatefulRedisConnection<String, String> connection =
          client.connect(io.lettuce.core.RedisURI.create(server));
      connections.add(connection);
      servers.add(connection.async());
      sha = connection.sync().scriptLoad(DELETE_IF_OWNER);
    }
    this.deleteIfOwner = sha;
  }

  @Override
  public Mutex mutex(String name, Habit habit) {
    LockSystem.requirePlain(habit);
    String owner = UUID.randomUUID().toString();
    String[] keys = {name};
    SetArgs ifAbsent = SetArgs.Builder.nx().px(TTL_MILLIS);
    return new Mutex() {
      @Override
      public void acquire() throws Exception {
        majority(server -> server.set(name, owner, ifAbsent));
      }

      @Override
      public void release() throws Exception {
        majority(server -> server.evalsha(deleteIfOwner, ScriptOutputType.INTEGER, keys, owner));
      }
    };
  }

  private void majority(Function<RedisAsyncCommands<String, String>, CompletionStage<?>> command)
      throws Exception {
    AtomicInteger missing = new AtomicInteger(servers.size() / 2 + 1);
    CompletableFuture<Void> done = new CompletableFuture<>();
    for (RedisAsyncCommands<String, String> server : servers) {
      command
          .apply(server)
          .thenAccept(
              reply -> {
                if (reply != null && missing.decrementAndGet() == 0) {
                  done.complete(null);
                }
              });
    }
    done.get(10, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    connections.forEach(StatefulRedisConnection::close);
    client.shutdown(0, 1, TimeUnit.SECONDS);
  }
}
