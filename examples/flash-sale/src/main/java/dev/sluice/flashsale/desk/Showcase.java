package dev.sluice.flashsale.desk;

import dev.sluice.inventory.Claim;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What visitors see of a sale: views for showing, each in the type of Redis that is made for it.
 * They may be behind, or gone; what was sold is in the {@link OrderBook}. Plain Lettuce, since
 * these need no library of locks. Safe for use by many threads.
 */
public final class Showcase implements AutoCloseable {
  /** Orders on a page of the recent ones. */
  public static final int PAGE = 10;

  /** How many recent orders are kept. */
  public static final int MOST_RECENT = 1000;

  private static final List<String> TOWNS =
      List.of("Amsterdam", "Bergen", "Chengdu", "Delft", "Evora", "Fushun", "Ghent", "Hangzhou");
  private static final String COMMON = Scripts.read("common_buyers.lua");
  private static final Duration KEPT = Duration.ofDays(1);

  /** A drain waits for the views: not for long. */
  private static final Duration LONGEST = Duration.ofMillis(500);

  private final Duration longest;
  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;

  /** Connects to a Redis of this URL. */
  public Showcase(String url) {
    this(url, LONGEST);
  }

  Showcase(String url, Duration longest) {
    this.longest = longest;
    client = RedisClient.create(RedisURI.create(url));
    client.setOptions(
        ClientOptions.builder()
            .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
            .build());
    connection = client.connect();
    connection.setTimeout(longest);
  }

  /**
   * What there is to see.
   *
   * @param product a hash
   * @param stock units left, a counter
   * @param buyers how many, from a set
   * @param recent one page of the last orders, the newest first, from a list
   * @param leaders towns by orders, the best first, from a sorted set
   */
  public record View(
      Map<String, String> product,
      long stock,
      long buyers,
      List<String> recent,
      List<Leader> leaders) {}

  /** A line of the leader board. */
  public record Leader(String town, long orders) {}

  /**
   * Buyers of two sales.
   *
   * @param count how many bought in both
   * @param some up to a page of them, in no order
   */
  public record Common(long count, List<String> some) {}

  /** Where a buyer comes from, as far as a sample can tell. */
  static String town(String buyer) {
    return TOWNS.get(Math.floorMod(buyer.hashCode(), TOWNS.size()));
  }

  /** The braces keep all views of a sale on one node of a cluster. */
  private static String key(String sale, String what) {
    return "flash-sale:{" + sale + "}:" + what;
  }

  /** Puts a sale into the window, unless it is there. */
  public void open(String sale, Map<String, String> product, long units) {
    RedisCommands<String, String> redis = connection.sync();
    redis.hset(key(sale, "product"), product);
    redis.setnx(key(sale, "stock"), "" + units);
    redis.expire(key(sale, "product"), KEPT);
    redis.expire(key(sale, "stock"), KEPT);
  }

  /** Shows durable orders. Those of buyers who are shown already change nothing. */
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
        shown.add(redis.zincrby(key(sale, "leaders"), 1, town(order.claimant())));
      }
    }
    shown.add(redis.ltrim(key(sale, "recent"), 0, MOST_RECENT - 1));
    for (String what : List.of("buyers", "recent", "leaders")) {
      shown.add(redis.expire(key(sale, what), KEPT));
    }
    LettuceFutures.awaitAll(
        longest.toMillis(), TimeUnit.MILLISECONDS, shown.toArray(RedisFuture[]::new));
  }

  /** {@return what there is to see, with one page of the recent orders, from 0} */
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

  /**
   * {@return who bought in both sales: the intersection of two sets, made by the server} In a
   * cluster this would need both sets on one node.
   */
  public Common common(String sale, String other) {
    List<Object> reply =
        connection
            .sync()
            .eval(
                COMMON,
                ScriptOutputType.MULTI,
                new String[] {key(sale, "buyers"), key(other, "buyers")},
                "" + PAGE);
    return new Common(
        (Long) reply.get(0), reply.stream().skip(1).map(String.class::cast).sorted().toList());
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown();
  }
}
