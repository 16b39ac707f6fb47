package dev.sluice.redis.verbs;

import dev.sluice.redis.PlantedRedis;
import dev.sluice.redis.RedisBackend;
import dev.sluice.redis.command.Script;
import dev.sluice.redis.connection.StoreConnection;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.BackendSettings;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** A backend whose scripts read the clock that a test sets. Keys outlive the test's real time. */
final class VirtualRedis implements AutoCloseable {
  /** What the scripts add to an expiry here, instead of a second. */
  static final long MARGIN_MILLIS = 3_600_000;

  private static final List<String> VERBS =
      List.of(
          "lock/acquire",
          "lock/renew",
          "lock/release",
          "lock/resize",
          "lock/inspect",
          "limit/limit",
          "limit/bucket",
          "limit/settle",
          "limit/forget",
          "limit/pace_enter",
          "limit/pace_advance",
          "limit/pace_leave",
          "limit/throttle",
          "cache/cache_begin",
          "cache/cache_keep",
          "cache/cache_fill",
          "cache/cache_abandon",
          "cache/cache_intend",
          "cache/cache_invalidate",
          "cache/cache_put",
          "cache/cache_tag",
          "cache/cache_append",
          "latch/latch_set",
          "latch/latch_down",
          "latch/latch_look",
          "stock/stock_open",
          "stock/stock_close",
          "stock/stock_resize",
          "stock/stock_look",
          "stock/stock_claim",
          "stock/stock_confirm",
          "stock/stock_cancel",
          "stock/stock_find",
          "stock/stock_expire",
          "stock/stock_take",
          "stock/stock_settle",
          "stock/stock_aside",
          "stock/stock_again",
          "stock/stock_page",
          "stock/stock_restore");

  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;
  private final StatefulRedisPubSubConnection<String, String> inbox;
  final RedisBackend backend;

  VirtualRedis(RedisServer server, UnaryOperator<String> fault) {
    server.call("FLUSHALL");
    client = RedisClient.create(server.uri());
    connection = client.connect(new StringCodec(StandardCharsets.ISO_8859_1)); // bytes stay bytes
    inbox = client.connectPubSub();
    UnaryOperator<String> change = text -> RemovedKeys.watched(onVirtualTime(fault.apply(text)));
    backend =
        PlantedRedis.over(
            StoreConnection.over(
                "Redis",
                new BackendSettings(Duration.ofSeconds(60)),
                connection,
                () -> CompletableFuture.completedFuture(inbox)),
            change);
    for (String verb : VERBS) { // a late EVAL would change the order
      connection.sync().scriptLoad(Script.load(verb, change).text);
    }
  }

  private static String onVirtualTime(String script) {
    return script.contains("'TIME'")
        ? TwinIT.onVirtualTime(script)
            .replace("MARGIN = 1000", "MARGIN = " + MARGIN_MILLIS)
            .replace("VALUE_MARGIN = 0", "VALUE_MARGIN = " + MARGIN_MILLIS)
        : script;
  }

  static boolean changes(UnaryOperator<String> fault) {
    return VERBS.stream()
        .anyMatch(
            verb ->
                !Script.load(verb, fault)
                    .text
                    .equals(Script.load(verb, UnaryOperator.identity()).text));
  }

  /** Sets the clock for what is sent after this. */
  void at(long micros) {
    connection
        .async()
        .mset(
            Map.of(
                "clock:seconds", "" + micros / 1_000_000, "clock:micros", "" + micros % 1_000_000));
  }

  CompletionStage<Long> delete(List<String> keys) {
    return connection.async().del(keys.toArray(new String[0]));
  }

  /** The stored bytes, one character each; null where there is no key. */
  CompletionStage<String> get(String key) {
    return connection.async().get(key);
  }

  CompletionStage<Long> pttl(String key) {
    return connection.async().pttl(key);
  }

  void publish(String channel, String text) {
    connection.sync().publish(channel, text);
  }

  static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
  }

  @Override
  public void close() {
    backend.close();
    connection.close();
    inbox.close();
    client.shutdown(0, 2, TimeUnit.SECONDS);
  }
}
