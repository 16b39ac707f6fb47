package dev.sluice.bench.systems;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The least that permits with an expiry and a token can cost over Lettuce: one shared connection,
 * two scripts, no waiting beyond "again after a millisecond", no renewal.
 */
final class RawFamily implements LockSystem {
  private static final String TTL_MICROS = "30000000";
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private static final String EXPIRE =
      "local t = redis.call('TIME') local now = t[1] * 1000000 + t[2]"
          + " redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now) ";
  private static final String TAKE =
      "if redis.call('ZCARD', KEYS[1]) < tonumber(ARGV[3]) then"
          + " redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])"
          + " return redis.call('INCR', KEYS[2]) end return 0";
  private static final String TAKE_ALL =
      "if redis.call('ZCARD', KEYS[1]) == 0 and"
          + " redis.call('SET', KEYS[3], ARGV[1], 'NX', 'PX', ARGV[2] / 1000) then"
          + " return redis.call('INCR', KEYS[2]) end return 0";
  private static final String GIVE = "return redis.call('ZREM', KEYS[1], ARGV[1])";
  private static final String GIVE_ALL =
      "if redis.call('GET', KEYS[3]) == ARGV[1] then return redis.call('DEL', KEYS[3]) end return 0";

  private final FamilyKind kind;
  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;
  private final RedisCommands<String, String> redis;
  private final String take;
  private final String give;

  RawFamily(FamilyKind kind, String uri) {
    this.kind = kind;
    this.client = RedisClient.create(uri);
    this.connection = client.connect();
    this.redis = connection.sync();
    boolean write = kind == FamilyKind.RAW_WRITE;
    String free =
        kind == FamilyKind.RAW_READ
            ? "if redis.call('EXISTS', KEYS[3]) == 1 then return 0 end "
            : "";
    this.take = redis.scriptLoad(EXPIRE + free + (write ? TAKE_ALL : TAKE));
    this.give = redis.scriptLoad(write ? GIVE_ALL : GIVE);
  }

  @Override
  public Mutex mutex(String name, Habit habit) {
    LockSystem.requirePlain(habit);
    String[] keys = {name, name + ":token", name + ":writer"};
    String owner = UUID.randomUUID().toString();
    String most =
        kind == FamilyKind.RAW_SEMAPHORE ? Integer.toString(SluiceFamily.PERMITS) : "1000000";
    return new Mutex() {
      @Override
      public void acquire() {
        while (redis.<Long>evalsha(
                take, ScriptOutputType.INTEGER, keys, owner, TTL_MICROS, most)
            == 0) {
          LockSupport.parkNanos(RETRY_NANOS);
        }
      }

      @Override
      public void release() {
        if (redis.<Long>evalsha(give, ScriptOutputType.INTEGER, keys, owner) != 1) {
          throw new IllegalStateException(name + " was lost");
        }
      }
    };
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown(0, 1, TimeUnit.SECONDS);
  }
}
