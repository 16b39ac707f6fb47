package dev.sluice.flashsale.desk;

import dev.sluice.inventory.Claim;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Views of a sale for visitors, each in the type of Redis that is made for it. They may be behind,
 * or gone; what was sold is in the {@link OrderBook}. Plain Lettuce, since these need no library of
 * locks. Safe for use by many threads.
 */
public final class Showcase implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.sluice.flashsale");

  /** Orders on a page of the recent ones. */
  public static final int PAGE = 10;

  /** How many recent orders are kept. */
  public static final int MAX_RECENT = 1000;

  private static final List<String> TOWNS =
      List.of("Amsterdam", "Bergen", "Chengdu", "Delft", "Evora", "Fushun", "Ghent", "Hangzhou");
  private static final String COMMON = Scripts.read("common_buyers.lua");
  private static final Duration KEPT = Duration.ofDays(1);

  /** A drain waits for the views: not for long. */
  private static final Duration MAX_SHOW = Duration.ofMillis(500);

  private final Duration longestShow;
  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;

  /**
   * Connects to a Redis.
   *
   * @param url where the views are
   * @param timeout longest wait for an answer of Redis
   */
  public Showcase(String url, Duration timeout) {
    this(url, timeout, MAX_SHOW);
  }

  Showcase(String url, Duration timeout, Duration longestShow) {
    this.longestShow = longestShow;
    client = RedisClient.create(RedisURI.create(url));
    client.setOptions(
        ClientOptions.builder()
            .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
            .build());
    connection = client.connect();
    connection.setTimeout(timeout);
  }

  /**
   * The content of the views.
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

  /**
   * Shows durable orders. Those of buyers who are shown already change nothing. If Redis answers
   * late, this returns before the orders are shown.
   */
  public void show(String sale, List<Claim> orders) {
    if (orders.isEmpty()) {
      return;
    }
    RedisAsyncCommands<String, String> redis = connection.async();
    CompletableFuture<?>[] shown =
        orders.stream()
            .map(
                order ->
                    redis
                        .sadd(key(sale, "buyers"), order.claimant())
                        .thenCompose(added -> added == 1 ? show(redis, sale, order) : nothing())
                        .toCompletableFuture())
            .toArray(CompletableFuture<?>[]::new);
    CompletableFuture<Void> kept =
        CompletableFuture.allOf(shown).thenCompose(all -> keep(redis, sale));
    try {
      kept.get(longestShow.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      LOG.log(System.Logger.Level.DEBUG, "the views follow later");
    } catch (ExecutionException e) {
      throw new IllegalStateException("the views are behind", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static CompletionStage<Void> show(
      RedisAsyncCommands<String, String> redis, String sale, Claim order) {
    return all(
        redis.decrby(key(sale, "stock"), order.quantity()),
        redis.lpush(key(sale, "recent"), order.claimant()),
        redis.zincrby(key(sale, "leaders"), 1, town(order.claimant())));
  }

  private static CompletionStage<Void> keep(RedisAsyncCommands<String, String> redis, String sale) {
    return all(
        redis.ltrim(key(sale, "recent"), 0, MAX_RECENT - 1),
        redis.expire(key(sale, "buyers"), KEPT),
        redis.expire(key(sale, "recent"), KEPT),
        redis.expire(key(sale, "leaders"), KEPT));
  }

  private static CompletionStage<Void> all(RedisFuture<?>... commands) {
    return CompletableFuture.allOf(
        Arrays.stream(commands)
            .map(RedisFuture::toCompletableFuture)
            .toArray(CompletableFuture<?>[]::new));
  }

  private static CompletionStage<Void> nothing() {
    return CompletableFuture.completedFuture(null);
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
