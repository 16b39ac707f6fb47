package dev.sluice.bench.scale;

import dev.sluice.bench.run.Bench;
import dev.sluice.bench.run.Server;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;

/** Requests to a server with very many clients and keys, outside of any measurement. */
record CrowdServer(Server server) {
  /** Part of a key's name that copies replace by different numbers. */
  private static final String NUMBER_OF_TEMPLATE = WorkerClients.member("", WorkerClients.TEMPLATE);

  private static final long COPIES_AT_ONCE = 20_000;
  private static final Duration BUFFERS_COUNTED = Duration.ofMillis(1500);

  private static final String COPY =
      """
      for i = tonumber(ARGV[3]), tonumber(ARGV[4]) do
        local name = ARGV[1] .. string.format('%08d', i) .. ARGV[2]
        redis.call('COPY', KEYS[1], name, 'REPLACE')
        redis.call('PEXPIRE', name, ARGV[5])
      end
      return redis.call('EXISTS', KEYS[1])
      """;

  static CrowdServer of(Bench bench) {
    return new CrowdServer(bench.server());
  }

  /**
   * {@return bytes of memory that the server has in use, the buffers of clients apart}
   *
   * <p>Waits until the server has counted the buffers again, which it does once a second. Otherwise
   * the difference is wrong by what the buffers grew or shrank since then.
   */
  long settledBytes() throws InterruptedException {
    Bench.pause(BUFFERS_COUNTED);
    return server.usedBytes();
  }

  /** {@return bytes that the buffers of a connection take, on average} */
  double bytesOfConnection() {
    return (double) Server.number(server.redis().info("memory"), "mem_clients_normal:")
        / Math.max(1, Server.number(server.redis().info("clients"), "connected_clients:"));
  }

  /**
   * Lets so many connect at a time.
   *
   * @throws IllegalStateException if the operating system does not allow it
   */
  void admit(int connections) {
    int admitted = Integer.parseInt(server.redis().configGet("maxclients").get("maxclients"));
    if (connections <= admitted) {
      return;
    }
    try {
      server.redis().configSet("maxclients", Integer.toString(connections));
    } catch (RedisCommandExecutionException e) {
      throw new IllegalStateException(
          "the server cannot have " + connections + " connections: " + e.getMessage(), e);
    }
  }

  /**
   * Copies a key: the same value under other names, as if so many clients had written it. Names
   * that exist are overwritten. The key itself gets the same expiry, since copying millions can
   * take longer than the library keeps it.
   *
   * @param key has the number {@link WorkerClients#TEMPLATE} in its name
   * @param from first number
   * @param to last number, not included
   * @param ttl how long the copies live
   * @throws IllegalStateException if the key does not exist
   */
  void copy(String key, long from, long to, Duration ttl) {
    int at = key.indexOf(NUMBER_OF_TEMPLATE);
    if (at < 0) {
      throw new IllegalArgumentException("no " + NUMBER_OF_TEMPLATE + " in the name of " + key);
    }
    String before = key.substring(0, at);
    String after = key.substring(at + NUMBER_OF_TEMPLATE.length());
    server.redis().pexpire(key, ttl.toMillis());
    for (long next = from; next < to; next += COPIES_AT_ONCE) {
      Long copied =
          server
              .redis()
              .eval(
                  COPY,
                  ScriptOutputType.INTEGER,
                  new String[] {key},
                  before,
                  after,
                  Long.toString(next),
                  Long.toString(Math.min(to, next + COPIES_AT_ONCE) - 1),
                  Long.toString(ttl.toMillis()));
      if (copied != 1) {
        throw new IllegalStateException(key + " does not exist, so it cannot be copied");
      }
    }
  }
}
