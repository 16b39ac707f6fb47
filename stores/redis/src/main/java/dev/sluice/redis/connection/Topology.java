package dev.sluice.redis.connection;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The assignment of slots to the servers of a Redis Cluster, as the driver last received it. It is
 * asked again when something points to a change, at most every quarter of a second and ever more
 * rarely while the answer stays the same, and every half a minute in any case. Safe for use by many
 * threads.
 */
final class Topology implements AutoCloseable {
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
  private static final long LAST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long PERIOD_SECONDS = 30;

  private final RedisClusterClient client;

  /** One of the servers as configured; null if only the driver knows them. */
  private final @Nullable RedisURI seed;

  private final EventExecutor timer;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final AtomicBoolean asking = new AtomicBoolean();
  private volatile long askedAt = System.nanoTime() - LAST_PAUSE_NANOS;
  private volatile long pause = FIRST_PAUSE_NANOS;
  private volatile String last;
  private volatile boolean closed;

  /** Completed once the topology has been read. */
  Topology(RedisClusterClient client, @Nullable RedisURI seed) {
    this.client = client;
    this.seed = seed;
    this.timer = client.getResources().eventExecutorGroup().next();
    this.last = text();
    timer.schedule(this::again, PERIOD_SECONDS, TimeUnit.SECONDS);
  }

  private void again() {
    if (!closed) {
      refreshSoon();
      timer.schedule(this::again, PERIOD_SECONDS, TimeUnit.SECONDS);
    }
  }

  EventExecutor timer() {
    return timer;
  }

  void addListener(Runnable onChange) {
    listeners.add(onChange);
  }

  void removeListener(Runnable onChange) {
    listeners.remove(onChange);
  }

  /** Null while no server has the slot. */
  @Nullable RedisURI masterOf(int slot) {
    RedisClusterNode master = client.getPartitions().getMasterBySlot(slot);
    return master == null ? null : likeSeed(master.getUri());
  }

  List<RedisURI> masters() {
    List<RedisURI> masters = new ArrayList<>();
    for (RedisClusterNode node : client.getPartitions()) {
      if (!node.getSlots().isEmpty()) {
        masters.add(likeSeed(node.getUri()));
      }
    }
    return masters;
  }

  boolean knows(String place) {
    for (RedisClusterNode node : client.getPartitions()) {
      if (place.equals(node.getUri().getHost() + ":" + node.getUri().getPort())) {
        return true;
      }
    }
    return false;
  }

  /** A server of this cluster, with the credentials and the certificate checks of the others. */
  RedisURI server(String host, int port) {
    for (RedisClusterNode node : client.getPartitions()) {
      RedisURI uri = node.getUri();
      if (uri.getPort() == port && host.equals(uri.getHost())) {
        return likeSeed(uri);
      }
    }
    RedisURI some = client.getPartitions().getPartition(0).getUri();
    return likeSeed(RedisURI.builder(some).withHost(host).withPort(port).build());
  }

  /** The driver reads addresses from the servers' own list, which does not mention TLS. */
  private RedisURI likeSeed(RedisURI server) {
    if (seed == null || !seed.isSsl()) {
      return server;
    }
    RedisURI secure = RedisURI.builder(server).build();
    secure.applySsl(seed);
    return secure;
  }

  /** Reads the topology from the servers, unless that is under way or has just been done. */
  void refreshSoon() {
    if (closed || !asking.compareAndSet(false, true)) {
      return;
    }
    long wait = Math.max(0, askedAt + pause - System.nanoTime());
    timer.schedule(this::refresh, wait, TimeUnit.NANOSECONDS);
  }

  private void refresh() {
    if (closed) {
      return;
    }
    ask()
        .whenComplete(
            (done, failure) -> {
              String now = text();
              boolean same = now.equals(last);
              last = now;
              pause = same ? Math.min(2 * pause, LAST_PAUSE_NANOS) : FIRST_PAUSE_NANOS;
              askedAt = System.nanoTime();
              asking.set(false);
              if (!same) {
                listeners.forEach(Runnable::run);
              }
            });
  }

  private CompletionStage<Void> ask() {
    try {
      return client.refreshPartitionsAsync();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** The inputs of routing. */
  private String text() {
    TreeSet<String> nodes = new TreeSet<>();
    for (RedisClusterNode node : client.getPartitions()) {
      RedisURI uri = node.getUri();
      nodes.add(uri.getHost() + ":" + uri.getPort() + " " + node.getSlots().hashCode());
    }
    return nodes.toString();
  }

  @Override
  public void close() {
    closed = true;
    listeners.clear();
  }
}
