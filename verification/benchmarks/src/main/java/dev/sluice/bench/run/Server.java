package dev.sluice.bench.run;

import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisCluster;
import dev.sluice.servers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanIterator;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** A redis-server of our own, and what can be asked of it from outside of any measurement. */
public final class Server implements BenchStore {
  private static final int MAX_WATCHES = 25;

  private final RedisServer process;
  private final List<Server> others;
  private final String uri;
  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;
  private final RedisCommands<String, String> redis;
  private boolean stopped;

  private Server(RedisServer process, List<Server> others, String uri) {
    this.process = process;
    this.others = others;
    this.uri = uri;
    this.client = RedisClient.create(process.uri());
    this.connection = client.connect();
    this.redis = connection.sync();
  }

  /** Starts servers without persistence; the others are asked only where that is said. */
  static Server start(int count) {
    List<RedisServer> processes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      processes.add(RedisServer.start());
    }
    if (count == 1) {
      return over(processes, processes.get(0).uri());
    }
    String hosts =
        processes.stream()
            .map(process -> "127.0.0.1:" + process.port())
            .collect(Collectors.joining(","));
    return over(processes, "redis-quorum://" + hosts + "?fresh=true");
  }

  /** Starts the masters of one cluster, without replicas; the first stands for the others. */
  static Server cluster(int masters) {
    RedisCluster cluster = RedisCluster.start(RedisBinary.any(), masters, 0);
    return over(cluster.masters(), cluster.uri());
  }

  private static Server over(List<RedisServer> processes, String uri) {
    List<Server> others =
        processes.stream().skip(1).map(each -> new Server(each, List.of(), each.uri())).toList();
    return new Server(processes.get(0), others, uri);
  }

  @Override
  public String uri() {
    return uri;
  }

  /** Stops some of the other servers where they stand. */
  public void stop(int count) {
    for (Server other : others.subList(0, count)) {
      other.process.pause();
      other.stopped = true;
    }
  }

  /** Lets them go on. */
  public void goOn(int count) {
    for (Server other : others.subList(0, count)) {
      other.process.resume();
      other.stopped = false;
    }
  }

  @Override
  public String about() {
    return process.binary().version() + ", its own server on the loopback, no persistence";
  }

  /** {@return what all servers have counted so far, but for those that are stopped} */
  @Override
  public ServerCounters counters() {
    ServerCounters all = ServerCounters.parse(redis.info("commandstats"), redis.info("cpu"));
    for (Server other : others) {
      if (!other.stopped) {
        all = all.plus(other.counters());
      }
    }
    return all;
  }

  /** {@return a connection for what is done outside of any measurement} */
  public RedisCommands<String, String> redis() {
    return redis;
  }

  /** {@return all keys that match a pattern} */
  public List<String> keys(String pattern) {
    ScanArgs args = ScanArgs.Builder.matches(pattern).limit(1000);
    return ScanIterator.scan(redis, args).stream().collect(Collectors.toCollection(ArrayList::new));
  }

  /** {@return bytes that a key takes, 0 if it does not exist} */
  public long bytes(String key) {
    Long bytes = redis.memoryUsage(key);
    return bytes == null ? 0 : bytes;
  }

  /** {@return bytes of memory that the server has in use, the buffers of clients apart} */
  public long usedBytes() {
    String memory = redis.info("memory");
    return number(memory, "used_memory:") - number(memory, "mem_clients_normal:");
  }

  /** {@return a number of INFO; the field ends with a colon} */
  public static long number(String info, String field) {
    return info.lines()
        .filter(line -> line.startsWith(field))
        .mapToLong(line -> Long.parseLong(line.substring(field.length()).trim()))
        .findFirst()
        .orElseThrow();
  }

  /** Begins to note commands that take longer than a tenth of a millisecond. */
  public void watchSlow() {
    redis.configSet("slowlog-log-slower-than", "100");
    redis.configSet("slowlog-max-len", "10000");
    redis.slowlogReset();
  }

  /**
   * {@return milliseconds of the longest command since {@link #watchSlow}, 0.1 if none was noted}
   */
  public double longestMillis() {
    redis.configSet("slowlog-log-slower-than", "-1");
    return redis.slowlogGet(10_000).stream()
            .mapToLong(entry -> (Long) ((List<?>) entry).get(2))
            .max()
            .orElse(100)
        / 1e3;
  }

  /** Removes all data, so that no system pays for the data of another. */
  public void empty() {
    redis.flushall();
  }

  /** {@return milliseconds until a key expires; -1: never, -2: it does not exist} */
  public long ttlMillis(String key) {
    return redis.pttl(key);
  }

  /**
   * Watches the commands that arrive, until closed. Costs the server, so never while timing.
   *
   * @param about part of every command of interest, empty for all
   */
  public Monitor monitor(String about) {
    try {
      return new Monitor(process.port(), about);
    } catch (IOException e) {
      throw new UncheckedIOException("MONITOR", e);
    }
  }

  @Override
  public double shareSent(Duration time) throws InterruptedException, IOException {
    Monitor monitor = monitor("");
    try (monitor) {
      int watches = 0;
      do { // a workload that is answered from memory sends a command only now and then
        Bench.pause(time);
        watches++;
      } while (Double.isNaN(monitor.shareSent()) && watches < MAX_WATCHES);
    }
    return monitor.shareSent();
  }

  @Override
  public void close() {
    others.forEach(Server::close);
    connection.close();
    client.shutdown(0, 2, TimeUnit.SECONDS);
    process.close();
  }
}
