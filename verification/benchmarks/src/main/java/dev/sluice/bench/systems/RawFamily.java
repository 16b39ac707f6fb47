package dev.sluice.bench.systems;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The least that expiring permits and readers with a token can cost over Lettuce: one shared
 * connection, one script to take, one to give back, no waiting beyond "again after a millisecond",
 * no renewal.
 */
final class RawFamily implements LockSystem {
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private static final String SWEEP =
      "local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)"
          + " redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, now)";

  private static final String ENTER =
      " redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])"
          + " redis.call('PEXPIRE', KEYS[1], ARGV[2])"
          + " return redis.call('INCR', KEYS[2])";

  private static final String TAKE_PERMIT =
      SWEEP + " if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end" + ENTER;

  private static final String TAKE_READ =
      SWEEP + " if redis.call('EXISTS', KEYS[3]) == 1 then return 0 end" + ENTER;

  private static final String TAKE_WRITE =
      SWEEP
          + " if redis.call('ZCARD', KEYS[1]) > 0 then return 0 end"
          + " if redis.call('SET', KEYS[3], ARGV[1], 'NX', 'PX', ARGV[2]) then"
          + " return redis.call('INCR', KEYS[2]) end return 0";

  private static final String LEAVE = "return redis.call('ZREM', KEYS[1], ARGV[1])";

  private static final String GIVE_WRITE =
      "if redis.call('GET', KEYS[3]) == ARGV[1] then return redis.call('DEL', KEYS[3]) end return 0";

  /** The locks are the keys from the fourth on. */
  private static final String TAKE_ALL =
      "for i = 4, #KEYS do if redis.call('EXISTS', KEYS[i]) == 1 then return 0 end end"
          + " for i = 4, #KEYS do redis.call('SET', KEYS[i], ARGV[1], 'PX', ARGV[2]) end"
          + " return redis.call('INCR', KEYS[2])";

  private static final String GIVE_ALL =
      "for i = 4, #KEYS do"
          + " if redis.call('GET', KEYS[i]) ~= ARGV[1] then return 0 end redis.call('DEL', KEYS[i])"
          + " end return 1";

  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;
  private final RedisCommands<String, String> redis;
  private final String ttlMillis;

  RawFamily(String uri, Duration ttl) {
    this.client = RedisClient.create(uri);
    this.connection = client.connect();
    this.redis = connection.sync();
    this.ttlMillis = Long.toString(ttl.toMillis());
  }

  @Override
  public Mutex mutex(String name, Habit habit) {
    return switch (habit) {
      case SEMAPHORE -> new ScriptMutex(name, TAKE_PERMIT, LEAVE);
      case READ -> new ScriptMutex(name, TAKE_READ, LEAVE);
      case WRITE -> new ScriptMutex(name, TAKE_WRITE, GIVE_WRITE);
      case TOGETHER -> new ScriptMutex(name, TAKE_ALL, GIVE_ALL, FamilyKind.together(name));
      default -> throw FamilyKind.notOfTheFamily(habit);
    };
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown(0, 1, TimeUnit.SECONDS);
  }

  private final class ScriptMutex implements Mutex {
    private final String owner = UUID.randomUUID().toString();
    private final String[] keys;
    private final String take;
    private final String give;

    ScriptMutex(String name, String take, String give, String... more) {
      this.keys =
          Arrays.copyOf(new String[] {name, name + ":token", name + ":writer"}, 3 + more.length);
      System.arraycopy(more, 0, keys, 3, more.length);
      this.take = redis.scriptLoad(take);
      this.give = redis.scriptLoad(give);
    }

    @Override
    public void acquire() {
      while (!taken()) {
        LockSupport.parkNanos(RETRY_NANOS);
      }
    }

    private boolean taken() {
      Long token =
          redis.evalsha(
              take,
              ScriptOutputType.INTEGER,
              keys,
              owner,
              ttlMillis,
              Integer.toString(FamilyKind.PERMITS));
      return token > 0;
    }

    @Override
    public void release() {
      Long given = redis.evalsha(give, ScriptOutputType.INTEGER, keys, owner);
      if (given != 1) {
        throw new IllegalStateException(keys[0] + " was lost");
      }
    }
  }
}
