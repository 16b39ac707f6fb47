package dev.sluice.zookeeper;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * One session with the servers, and for how long it certainly lives. What was made in it is asked
 * for in it alone, so an answer never comes from a later session. Requests are sent in the order of
 * the calls; answers and watches arrive in order on the driver's thread.
 *
 * <p>Safe for use by many threads.
 */
final class Session {
  /*
   * For how long a session lives is known from requests that went through the leader: writes and
   * syncs. A read proves nothing, since a server that lost its leader goes on answering reads for
   * some ticks while the leader ends the session.
   *
   * The leader ends a session when it has heard nothing of it for the session timeout T. A server
   * tells the leader which of its sessions are alive once in half a tick, and the driver sends
   * something at least every T/3. So at the moment of a request that the leader answered it knew of
   * a sign of life not older than T/3 and half a tick, and the session lives for another 2T/3 less
   * half a tick. With T of three ticks or more that is at least T/2, which is what we count, from
   * before the request left.
   */

  record Made(String path, Stat stat) {}

  record Children(List<String> names, Stat stat) {}

  record Data(byte[] bytes, Stat stat) {}

  private static final Stat NOTHING = new Stat();

  private final ZooKeeper handle;
  private final List<ACL> acl;
  private final Runnable onLost;
  private final AtomicLong provedAt;
  private volatile boolean proved;
  private volatile boolean lost;

  Session(ZooKeeper handle, List<ACL> acl, Runnable onLost) {
    this.handle = handle;
    this.acl = acl;
    this.onLost = onLost;
    this.provedAt = new AtomicLong(System.nanoTime());
  }

  boolean is(ZooKeeper other) {
    return handle == other;
  }

  /** Whether the driver goes on with it. */
  boolean isOpen() {
    return handle.getState().isAlive();
  }

  /** What was made in it is gone, or will be before anybody can ask again. */
  boolean isLost() {
    return lost;
  }

  void lose() {
    synchronized (this) {
      if (lost) {
        return;
      }
      lost = true;
    }
    onLost.run();
  }

  long timeoutMicros() {
    return handle.getSessionTimeout() * 1000L;
  }

  /** For how much longer the session certainly lives, microseconds; zero or less if unknown. */
  long certainMicros(long now) {
    if (lost || !proved) {
      return 0;
    }
    return timeoutMicros() / 2 - (now - provedAt.get()) / 1000;
  }

  CompletableFuture<Made> create(String path, byte[] data, CreateMode mode) {
    CompletableFuture<Made> answer = new CompletableFuture<>();
    long sentAt = System.nanoTime();
    handle.create(
        path,
        data,
        acl,
        mode,
        (rc, asked, context, name, stat) ->
            settle(answer, rc, asked, sentAt, rc == 0 ? new Made(name, stat) : null),
        null);
    return answer;
  }

  CompletableFuture<Children> children(String path, @Nullable Watcher watcher) {
    CompletableFuture<Children> answer = new CompletableFuture<>();
    handle.getChildren(
        path,
        watcher,
        (int rc, String asked, Object context, List<String> names, Stat stat) ->
            settle(answer, rc, asked, null, rc == 0 ? new Children(names, stat) : null),
        null);
    return answer;
  }

  CompletableFuture<Data> get(String path, @Nullable Watcher watcher) {
    CompletableFuture<Data> answer = new CompletableFuture<>();
    handle.getData(
        path,
        watcher,
        (rc, asked, context, data, stat) ->
            settle(
                answer,
                rc,
                asked,
                null,
                rc == 0 ? new Data(data == null ? new byte[0] : data, stat) : null),
        null);
    return answer;
  }

  CompletableFuture<Stat> set(String path, byte[] data, int version) {
    CompletableFuture<Stat> answer = new CompletableFuture<>();
    long sentAt = System.nanoTime();
    handle.setData(
        path,
        data,
        version,
        (rc, asked, context, stat) -> settle(answer, rc, asked, sentAt, stat),
        null);
    return answer;
  }

  CompletableFuture<Stat> delete(String path) {
    CompletableFuture<Stat> answer = new CompletableFuture<>();
    long sentAt = System.nanoTime();
    handle.delete(
        path, -1, (rc, asked, context) -> settle(answer, rc, asked, sentAt, NOTHING), null);
    return answer;
  }

  /** The reads that are sent after it see everything that was written before it. */
  CompletableFuture<Stat> sync(String path) {
    CompletableFuture<Stat> answer = new CompletableFuture<>();
    long sentAt = System.nanoTime();
    handle.sync(path, (rc, asked, context) -> settle(answer, rc, asked, sentAt, NOTHING), null);
    return answer;
  }

  CompletableFuture<Stat> replace(String path, String by, byte[] data, CreateMode mode) {
    CompletableFuture<Stat> answer = new CompletableFuture<>();
    long sentAt = System.nanoTime();
    handle.multi(
        List.of(Op.delete(path, -1), Op.create(by, data, acl, mode)),
        (rc, asked, context, results) -> settle(answer, rc, path, sentAt, NOTHING),
        null);
    return answer;
  }

  private <T> void settle(
      CompletableFuture<T> answer,
      int rc,
      @Nullable String path,
      @Nullable Long leaderAskedAt,
      @Nullable T value) {
    Code code = Code.get(rc);
    if (code == Code.SESSIONEXPIRED) {
      lose();
    } else if (leaderAskedAt != null && (code == Code.OK || code == Code.NONODE)) {
      long at = leaderAskedAt;
      provedAt.accumulateAndGet(at, (a, b) -> a - b > 0 ? a : b);
      proved = true;
    }
    if (code == Code.OK && value != null) {
      answer.complete(value);
    } else {
      answer.completeExceptionally(
          KeeperException.create(code == null ? Code.SYSTEMERROR : code, path));
    }
  }
}
