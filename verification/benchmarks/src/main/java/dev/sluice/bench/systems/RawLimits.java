package dev.sluice.bench.systems;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * The least that an exact limit over Lettuce can cost: one shared connection, one script, no
 * deadline, no batching, no versions, no checks.
 */
final class RawLimits implements LimitSystem {
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

  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;
  private final String sha;

  RawLimits(String uri) {
    this.client = RedisClient.create(uri);
    this.connection = client.connect();
    this.sha = connection.sync().scriptLoad(GCRA);
  }

  @Override
  public Gate gate(String name, List<String> keys, Allowance allowance, Habit habit) {
    LimitSystem.require(
        allowance.shape() == Allowance.Shape.BUCKET && habit == Habit.PLAIN, allowance, habit);
    String[] numbers = {
      Double.toString(allowance.intervalMicros()), Long.toString(allowance.capacity())
    };
    return new Gate() {
      @Override
      public boolean pass(String key) {
        List<Long> reply =
            connection
                .sync()
                .evalsha(sha, ScriptOutputType.MULTI, new String[] {name + "/" + key}, numbers);
        return reply.get(0) == 1;
      }

      @Override
      public CompletionStage<Boolean> passLater(String key) {
        return connection
            .async()
            .<List<Long>>evalsha(
                sha, ScriptOutputType.MULTI, new String[] {name + "/" + key}, numbers)
            .thenApply(reply -> reply.get(0) == 1);
      }
    };
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown(0, 1, TimeUnit.SECONDS);
  }
}
