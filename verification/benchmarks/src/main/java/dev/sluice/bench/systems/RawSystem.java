package dev.sluice.bench.systems;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The least that a lock over Lettuce can cost: one shared connection, two commands, no waiting
 * beyond "again after a millisecond", no renewal.
 */
final class RawSystem implements LockSystem {
  private static final String TTL_MILLIS = "30000";
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private static final String DELETE_IF_OWNER =
      "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

  private static final String SET_AND_COUNT =
      "if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then"
          + " return redis.call('INCR', KEYS[2]) end return 0";

  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;
  private final RedisCommands<String, String> redis;
  private final String deleteIfOwner;
  private final String setAndCount;
  private final boolean fenced;

  RawSystem(String uri, boolean fenced) {
    this.client = RedisClient.create(uri);
    this.connection = client.connect();
    this.redis = connection.sync();
    this.deleteIfOwner = redis.scriptLoad(DELETE_IF_OWNER);
    this.setAndCount = redis.scriptLoad(SET_AND_COUNT);
    this.fenced = fenced;
  }

  @Override
  public Mutex mutex(String name, Habit habit) {
    LockSystem.requirePlain(habit);
    return new RawMutex(name);
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown(0, 1, TimeUnit.SECONDS);
  }

  private final class RawMutex implements Mutex {
    private final String name;
    private final String owner = UUID.randomUUID().toString();
    private final String[] lockOnly;
    private final String[] lockAndToken;
    private final SetArgs ifAbsent = SetArgs.Builder.nx().px(Long.parseLong(TTL_MILLIS));

    RawMutex(String name) {
      this.name = name;
      this.lockOnly = new String[] {name};
      this.lockAndToken = new String[] {name, name + ":token"};
    }

    @Override
    public void acquire() {
      while (!taken()) {
        LockSupport.parkNanos(RETRY_NANOS);
      }
    }

    private boolean taken() {
      if (!fenced) {
        return redis.set(name, owner, ifAbsent) != null;
      }
      Long token =
          redis.evalsha(setAndCount, ScriptOutputType.INTEGER, lockAndToken, owner, TTL_MILLIS);
      return token > 0;
    }

    @Override
    public void release() {
      Long deleted = redis.evalsha(deleteIfOwner, ScriptOutputType.INTEGER, lockOnly, owner);
      if (deleted != 1) {
        throw new IllegalStateException("lock " + name + " was lost");
      }
    }
  }
}
