package dev.sluice.bench.systems;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The least that a claim can cost over Lettuce: one shared connection, one script that looks for
 * the claimant, counts down, records the claim and puts it into a stream.
 */
final class RawStocks implements LockSystem {
  private static final String CLAIM =
      "if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then return 0 end"
          + " local left = redis.call('GET', KEYS[1])"
          + " if not left or tonumber(left) < tonumber(ARGV[2]) then return -1 end"
          + " redis.call('DECRBY', KEYS[1], ARGV[2])"
          + " redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])"
          + " redis.call('XADD', KEYS[3], '*', 'c', ARGV[1])"
          + " return 1";

  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;
  private final String sha;
  private final AtomicLong claimants = new AtomicLong();

  RawStocks(String uri) {
    this.client = RedisClient.create(uri);
    this.connection = client.connect();
    this.sha = connection.sync().scriptLoad(CLAIM);
  }

  @Override
  public Mutex mutex(String name, Habit habit) {
    String[] keys = {"{" + name + "}:left", "{" + name + "}:claims", "{" + name + "}:stream"};
    connection.sync().set(keys[0], Long.toString(StockKind.PLENTY));
    return switch (habit) {
      case PLAIN -> new OneByOne(keys);
      case STREAMED -> new ClaimMutex(() -> claim(keys), StockKind.UNDER_WAY);
      default -> throw StockKind.notOfStock(habit);
    };
  }

  private CompletionStage<Boolean> claim(String[] keys) {
    String claimant = "user/" + claimants.incrementAndGet();
    CompletionStage<Long> sent =
        connection.async().evalsha(sha, ScriptOutputType.INTEGER, keys, claimant, "1", claimant);
    return sent.thenApply(reply -> reply == 1);
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown(0, 1, TimeUnit.SECONDS);
  }

  private final class OneByOne implements Mutex {
    private final String[] keys;

    OneByOne(String[] keys) {
      this.keys = keys;
    }

    @Override
    public void acquire() throws Exception {
      if (!claim(keys).toCompletableFuture().get(1, TimeUnit.MINUTES)) {
        throw new IllegalStateException(keys[0] + ": a claim was not accepted");
      }
    }

    @Override
    public void release() {
      // a claim is not given back
    }
  }
}
