package dev.sluice.bench.scale;

import dev.sluice.Sluice;
import dev.sluice.bench.systems.Candidate;
import dev.sluice.bench.systems.Engine;
import dev.sluice.bench.systems.Library;
import dev.sluice.internal.call.SystemScheduler;
import dev.sluice.redis.RedisBackend;
import dev.sluice.redis.RedisBackendBuilder;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.Scheduler;
import dev.sluice.spi.Ticker;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Many clients in one process. Each has its own client id, command connection and inbox, as if it
 * were a process. They share threads, because thousands of idle timers would measure the operating
 * system. Safe for use by many threads.
 */
public final class SluiceCrowd implements Library {
  /** What clients meet at: one server, or a cluster of so many masters. */
  public static final List<Candidate> CANDIDATES =
      Stream.of(0, 1, 2, 3, 6).map(SluiceCrowd::candidate).toList();

  private static final BackendSettings SETTINGS = new BackendSettings(Duration.ofSeconds(10));

  private final String uri;
  private final boolean cluster;
  private final Scheduler scheduler = new SystemScheduler();
  private final Executor callbacks =
      Executors.newFixedThreadPool(
          2,
          task -> {
            Thread thread = new Thread(task, "crowd-callback");
            thread.setDaemon(true);
            return thread;
          });
  // guarded by this
  private @Nullable RedisClient client;
  private @Nullable StatefulRedisPubSubConnection<String, String> sharedInbox;

  private static Candidate candidate(int masters) {
    String id = masters == 0 ? "one server" : masters + (masters == 1 ? " master" : " masters");
    String where = masters == 0 ? "one Redis" : "a cluster without replicas, " + id;
    String description = "Sluice, this build, on " + where;
    return new Candidate(
        "scale", id, description, Engine.REDIS, masters, (uri, ttl) -> new SluiceCrowd(uri));
  }

  private SluiceCrowd(String uri) {
    this.uri = uri;
    this.cluster = uri.startsWith("redis-cluster:");
  }

  /** {@return what runs tasks later, for all of them} */
  public Scheduler scheduler() {
    return scheduler;
  }

  /**
   * Opens one more client.
   *
   * @param ownInbox whether its messages have a separate connection; otherwise they share one with
   *     others of this process, each on its own channel
   */
  public Sluice open(boolean ownInbox) {
    if (cluster) {
      // few, so each may have its own threads
      return Sluice.builder().uri(uri).requestTimeout(SETTINGS.requestTimeout()).build();
    }
    RedisClient driver = driver();
    RedisBackendBuilder builder = RedisBackend.builder().requestTimeout(SETTINGS.requestTimeout());
    RedisBackend backend =
        (ownInbox
                ? builder.client(driver, RedisURI.create(uri))
                : builder.connections(driver.connect(StringCodec.UTF8), inbox(driver)))
            .build();
    return Sluice.builder()
        .backend(backend)
        .time(Ticker.system(), scheduler)
        .callbacks(callbacks)
        .build();
  }

  private synchronized RedisClient driver() {
    RedisClient made = client;
    if (made == null) {
      ClientResources resources =
          DefaultClientResources.builder()
              .eventLoopGroupProvider(new DefaultEventLoopGroupProvider(1))
              .computationThreadPoolSize(2)
              .build();
      made = RedisClient.create(resources, RedisURI.create(uri));
      made.setOptions(
          ClientOptions.builder()
              .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
              .timeoutOptions(TimeoutOptions.create())
              .build());
      client = made;
    }
    return made;
  }

  private synchronized StatefulRedisPubSubConnection<String, String> inbox(RedisClient driver) {
    StatefulRedisPubSubConnection<String, String> made = sharedInbox;
    if (made == null) {
      made = driver.connectPubSub(StringCodec.UTF8);
      sharedInbox = made;
    }
    return made;
  }
}
