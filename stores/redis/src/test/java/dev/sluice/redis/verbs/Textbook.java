package dev.sluice.redis.verbs;

import dev.sluice.servers.RedisServer;
import java.util.Arrays;
import java.util.stream.Stream;

/**
 * Limiters as they are found in articles and small libraries, each with its flaw. The time is
 * passed to them, in milliseconds, so that their schedules are exact; the server and its expiry are
 * real.
 */
final class Textbook {
  /** A counter for each window of the clock. */
  static final String FIXED_WINDOW =
      """
      local limit, window, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
      local key = KEYS[1] .. ':' .. math.floor(now / window)
      local count = redis.call('INCR', key)
      redis.call('PEXPIRE', key, 2 * window)
      return count <= limit and 1 or 0
      """;

  /** Two counters, the earlier one weighted by how much of it the window still covers. */
  static final String TWO_WINDOWS =
      """
      local limit, window, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
      local index = math.floor(now / window)
      local before = tonumber(redis.call('GET', KEYS[1] .. ':' .. index - 1) or '0')
      local key = KEYS[1] .. ':' .. index
      local count = tonumber(redis.call('GET', key) or '0')
      if before * (1 - now % window / window) + count >= limit then return 0 end
      redis.call('INCR', key)
      redis.call('PEXPIRE', key, 2 * window)
      return 1
      """;

  /** A log that notes the call, counts, and never takes a refused call out again. */
  static final String LOG_OF_ALL_CALLS =
      """
      local limit, window, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
      redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, now - window)
      redis.call('ZADD', KEYS[1], now, now)
      redis.call('PEXPIRE', KEYS[1], window)
      return redis.call('ZCARD', KEYS[1]) <= limit and 1 or 0
      """;

  /** A log whose members are the times themselves. */
  static final String LOG_BY_TIME =
      """
      local limit, window, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
      redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, now - window)
      if redis.call('ZCARD', KEYS[1]) >= limit then return 0 end
      redis.call('ZADD', KEYS[1], now, now)
      redis.call('PEXPIRE', KEYS[1], window)
      return 1
      """;

  /** A bucket of one token per interval that stores when it looked, but not what is left. */
  static final String BUCKET_WITHOUT_WRITE_BACK =
      """
      local capacity, interval, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
      local tokens = tonumber(redis.call('HGET', KEYS[1], 'tokens') or ARGV[1])
      local stamp = tonumber(redis.call('HGET', KEYS[1], 'stamp') or ARGV[3])
      tokens = math.min(capacity, tokens + (now - stamp) / interval)
      redis.call('HSET', KEYS[1], 'stamp', ARGV[3])
      redis.call('PEXPIRE', KEYS[1], capacity * interval)
      return tokens >= 1 and 1 or 0
      """;

  /** A bucket that adds whole tokens, and forgets the part of an interval that was left over. */
  static final String BUCKET_WITHOUT_FRACTIONS =
      """
      local capacity, interval, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
      local tokens = tonumber(redis.call('HGET', KEYS[1], 'tokens') or ARGV[1])
      local stamp = tonumber(redis.call('HGET', KEYS[1], 'stamp') or ARGV[3])
      tokens = math.min(capacity, tokens + math.floor(math.max(0, now - stamp) / interval))
      local passes = tokens >= 1
      if passes then tokens = tokens - 1 end
      redis.call('HSET', KEYS[1], 'tokens', tokens, 'stamp', ARGV[3])
      redis.call('PEXPIRE', KEYS[1], capacity * interval)
      return passes and 1 or 0
      """;

  /** A bucket that keeps its stamp and believes whatever clock the caller brings. */
  static final String BUCKET_BY_CALLERS_CLOCK =
      """
      local capacity, interval, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
      local tokens = tonumber(redis.call('HGET', KEYS[1], 'tokens') or ARGV[1])
      local stamp = tonumber(redis.call('HGET', KEYS[1], 'stamp') or ARGV[3])
      if now > stamp then
        tokens = math.min(capacity, tokens + (now - stamp) / interval)
        stamp = now
      end
      local passes = tokens >= 1
      if passes then tokens = tokens - 1 end
      redis.call('HSET', KEYS[1], 'tokens', tokens, 'stamp', stamp)
      redis.call('PEXPIRE', KEYS[1], capacity * interval)
      return passes and 1 or 0
      """;

  /** A bucket that knows whole seconds only. */
  static final String BUCKET_BY_SECONDS =
      """
      local capacity, rate = tonumber(ARGV[1]), tonumber(ARGV[2])
      local now = math.floor(tonumber(ARGV[3]) / 1000)
      local tokens = tonumber(redis.call('HGET', KEYS[1], 'tokens') or ARGV[1])
      local stamp = tonumber(redis.call('HGET', KEYS[1], 'stamp') or now)
      tokens = math.min(capacity, tokens + (now - stamp) * rate)
      local passes = tokens >= 1
      if passes then tokens = tokens - 1 end
      redis.call('HSET', KEYS[1], 'tokens', tokens, 'stamp', now)
      redis.call('PEXPIRE', KEYS[1], 60000)
      return passes and 1 or 0
      """;

  /** A theoretical arrival time that lives as long as ARGV[4] says. */
  static final String ARRIVAL_TIME =
      """
      local capacity, interval, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
      local arrival = math.max(now, tonumber(redis.call('GET', KEYS[1]) or '0')) + interval
      if arrival - now > capacity * interval then return 0 end
      local life = tonumber(ARGV[4])
      if life > 0 then redis.call('SET', KEYS[1], arrival, 'PX', life) end
      return 1
      """;

  /** Asks the server for its time, then writes. */
  static final String BY_SERVER_TIME =
      """
      local time = redis.call('TIME')
      redis.call('SET', KEYS[1], time[1] .. time[2], 'PX', ARGV[1])
      return 1
      """;

  private final RedisServer server;

  Textbook(RedisServer server) {
    this.server = server;
  }

  /** Asks a scheme: whether the call may go ahead. */
  boolean admits(String scheme, String key, long... arguments) {
    String[] words =
        Stream.concat(
                Stream.of("EVAL", scheme, "1", key),
                Arrays.stream(arguments).mapToObj(Long::toString))
            .toArray(String[]::new);
    return Long.valueOf(1).equals(server.call(words));
  }

  /** How many of some calls at one moment a scheme lets through. */
  int admitted(int calls, String scheme, String key, long... arguments) {
    int admitted = 0;
    for (int i = 0; i < calls; i++) {
      admitted += admits(scheme, key, arguments) ? 1 : 0;
    }
    return admitted;
  }
}
