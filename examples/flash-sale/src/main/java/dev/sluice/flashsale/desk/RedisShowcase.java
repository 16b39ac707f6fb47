package dev.sluice.flashsale.desk;

import dev.sluice.inventory.Claim;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The views of all instances, in Redis: plain Lettuce, since these need no library of locks. */
public final class RedisShowcase implements Showcase {
  private static final Duration KEPT = Duration.ofDays(1);

  /** A drain waits for the views: not for long. */
  private static final Duration LONGEST = Duration.ofMillis(500);

  private final Duration longest;
  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;

  /**
   * Connects.
   *
   * @param url {@code redis://} or {@code rediss://}
   */
  public RedisShowcase(String url) {
    this(url, LONGEST);
  }

  RedisShowcase(String url, Duration longest) {
    this.longest = longest;
    client = RedisClient.create(RedisURI.create(url));
    client.setOptions(
        ClientOptions.builder()
            .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
            .build());
    connection = client.connect();
    connection.setTimeout(longest);
  }

  /** The braces keep all views of a sale on one node of a cluster. */
  private static String key(String sale, String what) {
    return "flash-sale:{" + sale + "}:" + what;
  }

  @Override
  public void open(String sale, Map<String, String> product, long units) {
    RedisCommands<String, String> redis = connection.sync();
    redis.hset(key(sale, "product"), product);
    redis.setnx(key(sale, "stock"), "" + units);
    redis.expire(key(sale, "product"), KEPT);
    redis.expire(key(sale, "stock"), KEPT);
  }

  @Override
  public void show(String sale, List<Claim> orders) {
    if (orders.isEmpty()) {
      return;
    }
    RedisAsyncCommands<String, String> redis = connection.async();
    List<RedisFuture<Long>> added = new ArrayList<>();
    orders.forEach(order -> added.add(redis.sadd(key(sale, "buyers"), order.claimant())));
    LettuceFutures.awaitAll(
        longest.toMillis(), TimeUnit.MILLISECONDS, added.toArray(RedisFuture[]::new));
    List<RedisFuture<?>> shown = new ArrayList<>();
    for (int i = 0; i < added.size(); i++) {
      if (added.get(i).toCompletableFuture().getNow(0L) == 1) {
        Claim order = orders.get(i);
        shown.add(redis.decrby(key(sale, "stock"), order.quantity()));
        shown.add(redis.lpush(key(sale, "recent"), order.claimant()));
        shown.add(redis.zincrby(key(sale, "leaders"), 1, Showcase.town(order.claimant())));
      }
    }
    shown.add(redis.ltrim(key(sale, "recent"), 0, MOST_RECENT - 1));
    for (String what : List.of("buyers", "recent", "leaders")) {
      shown.add(redis.expire(key(sale, what), KEPT));
    }
    LettuceFutures.awaitAll(
        longest.toMillis(), TimeUnit.MILLISECONDS, shown.toArray(RedisFuture[]::new));
  }

  @Override
  public View look(String sale, int page) {
    RedisCommands<String, String> redis = connection.sync();
    String stock = redis.get(key(sale, "stock"));
    return new View(
        redis.hgetall(key(sale, "product")),
        stock == null ? 0 : Long.parseLong(stock),
        redis.scard(key(sale, "buyers")),
        redis.lrange(key(sale, "recent"), (long) page * PAGE, (page + 1L) * PAGE - 1),
        redis.zrevrangeWithScores(key(sale, "leaders"), 0, -1).stream()
            .map(town -> new Leader(town.getValue(), (long) town.getScore()))
            .toList());
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown();
  }
}
