package dev.sluice.zookeeper;

import dev.sluice.BackendException;
import dev.sluice.Finding;
import dev.sluice.spi.Backend;
import dev.sluice.spi.GrantBackend;
import dev.sluice.zookeeper.nodes.Claims;
import dev.sluice.zookeeper.nodes.Folders;
import dev.sluice.zookeeper.nodes.KeeperFailures;
import dev.sluice.zookeeper.nodes.Link;
import dev.sluice.zookeeper.nodes.Session;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * The ZooKeeper backend: locks, elections, semaphores and read-write locks. Each process has one
 * node for each name that it holds or waits for, in one session for all; a lease ends with its TTL
 * or with its session, whichever ends first. Rate limits, caches and Bloom filters are kept by
 * other stores.
 *
 * <p>While the connection is down, calls fail with {@link BackendException}; calls that were under
 * way fail with {@link dev.sluice.OutcomeUnknownException}, and what they may have left at the
 * servers is removed when they answer again. Safe for use by many threads.
 *
 * @since 0.1
 */
public final class ZooKeeperBackend implements Backend {
  private static final System.Logger LOG = System.getLogger("dev.sluice.zookeeper");

  private final String describe;
  private final CuratorFramework client;
  private final boolean owned;
  private final Duration timeout;
  private final @Nullable Duration sessionAsked;
  private final Link link;
  private final Folders folders;
  private final Claims lockClaims;
  private final Claims permitClaims;
  private final ZooKeeperGrants locks;
  private final ZooKeeperGrants permits;
  private final ScheduledExecutorService clock;
  private volatile boolean closed;

  /** The backend is closed, and nodes are still to be deleted. */
  private volatile boolean leftBehind;

  private ZooKeeperBackend(
      CuratorFramework client,
      boolean owned,
      String describe,
      Folders folders,
      List<ACL> acl,
      @Nullable Duration sessionAsked,
      Duration timeout) {
    this.client = client;
    this.owned = owned;
    this.describe = describe;
    this.sessionAsked = sessionAsked;
    this.timeout = timeout;
    this.link = new Link(describe, client, acl);
    this.folders = folders;
    this.lockClaims = new Claims(link, folders, "locks", false, timeout);
    this.permitClaims = new Claims(link, folders, "permits", true, timeout);
    this.locks = ZooKeeperGrants.ofLocks(lockClaims);
    this.permits = ZooKeeperGrants.ofPermits(permitClaims);
    this.clock =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "sluice-zookeeper");
              thread.setDaemon(true);
              return thread;
            });
  }

  /** {@return settings to connect with} */
  public static ZooKeeperBackendBuilder builder() {
    return new ZooKeeperBackendBuilder();
  }

  static ZooKeeperBackend over(
      CuratorFramework client,
      boolean owned,
      String describe,
      Folders folders,
      List<ACL> acl,
      @Nullable Duration sessionAsked,
      Duration timeout) {
    ZooKeeperBackend backend =
        new ZooKeeperBackend(client, owned, describe, folders, acl, sessionAsked, timeout);
    try {
      backend.open();
    } catch (RuntimeException e) {
      backend.close();
      throw e;
    }
    return backend;
  }

  private void open() {
    boolean connected;
    try {
      connected =
          client.blockUntilConnected(
              Math.toIntExact(Math.min(timeout.toMillis(), Integer.MAX_VALUE)) + 1,
              TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BackendException(describe + ": interrupted while connecting", e);
    }
    if (!connected) {
      throw new BackendException(
          describe + " did not answer within " + timeout.toMillis() + "ms", null);
    }
    link.open();
    long tick = Session.TICK.toMillis();
    clock.scheduleWithFixedDelay(this::tick, tick, tick, TimeUnit.MILLISECONDS);
  }

  private void tick() {
    try {
      link.beat();
      lockClaims.tick();
      permitClaims.tick();
      if (leftBehind && lockClaims.isDone() && permitClaims.isDone()) {
        stop();
      }
    } catch (RuntimeException e) { // one that goes wrong must not be the last
      LOG.log(System.Logger.Level.WARNING, describe + ": reading the clock failed", e);
    }
  }

  @Override
  public String describe() {
    return describe;
  }

  @Override
  public GrantBackend locks() {
    return locks;
  }

  @Override
  public GrantBackend permits() {
    return permits;
  }

  @Override
  public CompletionStage<List<Finding>> diagnose() {
    try {
      return KeeperFailures.within(
          ZooKeeperDoctor.examine(describe, link.session(), sessionAsked, folders),
          timeout,
          describe,
          "diagnose");
    } catch (BackendException e) { // there is no session
      return CompletableFuture.failedFuture(e);
    }
  }

  /** {@return the driver's client, for a {@link ZooKeeperGuard}} */
  CuratorFramework client() {
    return client;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (owned) {
      stop();
      client.close(); // and with the session go its nodes
      return;
    }
    try {
      CompletableFuture.allOf(lockClaims.close(), permitClaims.close())
          .get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.log(System.Logger.Level.DEBUG, describe + ": closed before every node was deleted", e);
    }
    if (lockClaims.isDone() && permitClaims.isDone()) {
      stop();
    } else {
      leftBehind = true; // the session goes on with the application's client
    }
  }

  private void stop() {
    clock.shutdownNow();
    link.close();
  }
}
