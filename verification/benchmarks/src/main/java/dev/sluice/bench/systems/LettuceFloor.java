package dev.sluice.bench.systems;

import dev.sluice.bloom.BloomSpec;
import dev.sluice.state.BloomHashing;
import io.lettuce.core.BitFieldArgs;
import io.lettuce.core.BitFieldArgs.BitFieldType;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The least that each primitive over Lettuce can cost: one shared connection, one command or one
 * script for each step, no renewal, no deadline, no check, and no waiting beyond "again after 1
 * ms".
 */
final class LettuceFloor implements Library {
  private static final String TTL_MILLIS = "30000";
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  static final String DELETE_IF_OWNER =
      "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return"
          + " 0";
  private static final String SET_AND_COUNT =
      "if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then"
          + " return redis.call('INCR', KEYS[2]) end return 0";

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
      "if redis.call('GET', KEYS[3]) == ARGV[1] then return redis.call('DEL', KEYS[3]) end return"
          + " 0";

  /** The locks are the keys from the fourth on. */
  private static final String TAKE_ALL =
      "for i = 4, #KEYS do if redis.call('EXISTS', KEYS[i]) == 1 then return 0 end end"
          + " for i = 4, #KEYS do redis.call('SET', KEYS[i], ARGV[1], 'PX', ARGV[2]) end"
          + " return redis.call('INCR', KEYS[2])";

  private static final String GIVE_ALL =
      "for i = 4, #KEYS do"
          + " if redis.call('GET', KEYS[i]) ~= ARGV[1] then return 0 end redis.call('DEL', KEYS[i])"
          + " end return 1";

  /**
   * KEYS[1] theoretical arrival time, microseconds. ARGV: interval in microseconds, capacity.
   * Replies: allowed, remaining, retry after, reset after.
   */
  private static final String GCRA =
      """
      local time = redis.call('TIME')
      local now = time[1] * 1000000 + time[2]
      local interval = tonumber(ARGV[1])
      local full = interval * tonumber(ARGV[2])
      local tat = math.max(now, tonumber(redis.call('GET', KEYS[1]) or 0))
      local room = now + full - tat - interval
      if room < 0 then
        return {0, math.floor((room + interval) / interval), math.ceil(-room), tat - now}
      end
      local following = tat + interval
      redis.call('SET', KEYS[1], string.format('%.0f', following),
          'PX', math.ceil((following - now) / 1000))
      return {1, math.floor(room / interval), 0, following - now}
      """;

  /** Looks for the claimant, counts down, records the claim and puts it into a stream. */
  private static final String CLAIM =
      "if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then return 0 end"
          + " local left = redis.call('GET', KEYS[1])"
          + " if not left or tonumber(left) < tonumber(ARGV[2]) then return -1 end"
          + " redis.call('DECRBY', KEYS[1], ARGV[2])"
          + " redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])"
          + " redis.call('XADD', KEYS[3], '*', 'c', ARGV[1])"
          + " return 1";

  private static final BitFieldType BIT = BitFieldArgs.unsigned(1);

  private final RedisClient client;
  private final RedisCommands<String, String> redis;
  private final RedisAsyncCommands<String, String> async;
  private final boolean fenced;
  private final AtomicLong claimants = new AtomicLong();

  LettuceFloor(String uri, boolean fenced) {
    this.client = RedisClient.create(uri);
    StatefulRedisConnection<String, String> connection = client.connect();
    this.redis = connection.sync();
    this.async = connection.async();
    this.fenced = fenced;
  }

  @Override
  public Mutex lock(String name, LockUse use) {
    String owner = UUID.randomUUID().toString();
    return switch (use) {
      case PLAIN -> fenced ? fenced(name, owner) : plain(name, owner);
      case SEMAPHORE -> scripts(TAKE_PERMIT, LEAVE, owner, name);
      case READ -> scripts(TAKE_READ, LEAVE, owner, name);
      case WRITE -> scripts(TAKE_WRITE, GIVE_WRITE, owner, name);
      case TOGETHER ->
          scripts(TAKE_ALL, GIVE_ALL, owner, name, LockUse.together(name).toArray(new String[0]));
      case STICKY, ALTERNATING -> Library.super.lock(name, use);
    };
  }

  private Mutex plain(String name, String owner) {
    SetArgs ifAbsent = SetArgs.Builder.nx().px(Long.parseLong(TTL_MILLIS));
    return mutex(
        name,
        () -> redis.set(name, owner, ifAbsent) != null,
        script(DELETE_IF_OWNER, new String[] {name}, owner));
  }

  private Mutex fenced(String name, String owner) {
    String[] lockAndToken = {name, name + ":token"};
    return mutex(
        name,
        script(SET_AND_COUNT, lockAndToken, owner, TTL_MILLIS),
        script(DELETE_IF_OWNER, new String[] {name}, owner));
  }

  private Mutex scripts(String take, String give, String owner, String name, String... more) {
    String[] keys =
        Stream.concat(Stream.of(name, name + ":token", name + ":writer"), Stream.of(more))
            .toArray(String[]::new);
    String permits = Integer.toString(LockUse.PERMITS);
    return mutex(name, script(take, keys, owner, TTL_MILLIS, permits), script(give, keys, owner));
  }

  private BooleanSupplier script(String text, String[] keys, String... arguments) {
    String sha = redis.scriptLoad(text);
    return () ->
        redis.<Long>evalsha(sha, ScriptOutputType.INTEGER, keys, arguments).longValue() > 0;
  }

  private static Mutex mutex(String name, BooleanSupplier take, BooleanSupplier give) {
    return Mutex.of(
        () -> {
          while (!take.getAsBoolean()) {
            LockSupport.parkNanos(RETRY_NANOS);
          }
        },
        () -> {
          if (!give.getAsBoolean()) {
            throw new IllegalStateException(name + " was lost");
          }
        });
  }

  @Override
  public KeyedCall limit(String name, List<String> keys, Allowance allowance) throws Exception {
    if (allowance.shape() != Allowance.Shape.BUCKET || allowance.extra() != Allowance.Extra.NONE) {
      return Library.super.limit(name, keys, allowance);
    }
    String sha = redis.scriptLoad(GCRA);
    String interval = Double.toString(allowance.intervalMicros());
    String capacity = Long.toString(allowance.capacity());
    return KeyedCall.of(
        key ->
            redis
                    .<List<Long>>evalsha(
                        sha,
                        ScriptOutputType.MULTI,
                        new String[] {name + "/" + key},
                        interval,
                        capacity)
                    .get(0)
                == 1,
        key ->
            async
                .<List<Long>>evalsha(
                    sha,
                    ScriptOutputType.MULTI,
                    new String[] {name + "/" + key},
                    interval,
                    capacity)
                .thenApply(reply -> reply.get(0) == 1));
  }

  @Override
  public KeyedCall stock(String name, boolean soldOut) {
    if (soldOut) {
      return Library.super.stock(name, soldOut);
    }
    String sha = redis.scriptLoad(CLAIM);
    String[] keys = {"{" + name + "}:left", "{" + name + "}:claims", "{" + name + "}:stream"};
    redis.set(keys[0], Long.toString(SluiceLibrary.PLENTY));
    Function<String, CompletionStage<Boolean>> claim =
        key -> {
          String claimant = "user/" + claimants.incrementAndGet();
          CompletionStage<Long> sent =
              async.evalsha(sha, ScriptOutputType.INTEGER, keys, claimant, "1", claimant);
          return sent.thenApply(reply -> reply == 1);
        };
    return KeyedCall.of(
        key -> claim.apply(key).toCompletableFuture().get(1, TimeUnit.MINUTES), claim);
  }

  @Override
  public Elements filter(String name, int size, double rate) {
    BloomSpec spec = BloomSpec.of(size, rate).maxPartitionBits(BloomSpec.MAX_PARTITION_BITS);
    int k = spec.hashes();
    return new Elements(
        KeyedCall.of(
            key -> full(k, redis.bitfield(name, bits(spec, List.of(key), false))) == 1,
            key ->
                async
                    .bitfield(name, bits(spec, List.of(key), false))
                    .thenApply(reply -> full(k, reply) == 1)),
        KeyedCall.of(
            key -> full(k, redis.bitfield(name, bits(spec, List.of(key), true))) == 0,
            key ->
                async
                    .bitfield(name, bits(spec, List.of(key), true))
                    .thenApply(reply -> full(k, reply) == 0)),
        keys -> keys.size() - full(k, redis.bitfield(name, bits(spec, keys, true))),
        keys -> full(k, redis.bitfield(name, bits(spec, keys, false))));
  }

  private static BitFieldArgs bits(BloomSpec spec, List<String> elements, boolean set) {
    BitFieldArgs args = new BitFieldArgs();
    long[] bits = new long[spec.hashes()];
    for (String element : elements) {
      BloomHashing.hash(element.getBytes(StandardCharsets.UTF_8))
          .bits(spec.bitsPerPartition(), bits, 0, bits.length);
      for (long bit : bits) {
        if (set) {
          args.set(BIT, (int) bit, 1);
        } else {
          args.get(BIT, (int) bit);
        }
      }
    }
    return args;
  }

  /** How many elements have all of their bits set. */
  private static long full(int k, List<Long> reply) {
    long full = 0;
    for (int from = 0; from < reply.size(); from += k) {
      boolean all = true;
      for (int i = from; i < from + k; i++) {
        all &= reply.get(i) == 1;
      }
      full += all ? 1 : 0;
    }
    return full;
  }

  /** A cache that guards nothing. */
  @Override
  public Shelf cache(
      String name, Tier tier, boolean patient, Function<String, byte @Nullable []> loader) {
    if (tier != Tier.STORE || patient) {
      return Library.super.cache(name, tier, patient, loader);
    }
    RedisCommands<String, byte[]> values =
        client.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE)).sync();
    String prefix = name + "/";
    return new Shelf(
        key -> {
          byte[] stored = values.get(prefix + key);
          if (stored != null) {
            return stored;
          }
          byte[] loaded = loader.apply(key);
          if (loaded != null) {
            values.psetex(prefix + key, Shelf.TTL.toMillis(), loaded);
          }
          return loaded;
        },
        (keys, value) ->
            keys.forEach(key -> values.psetex(prefix + key, Shelf.TTL.toMillis(), value)),
        key -> values.del(prefix + key));
  }
}
