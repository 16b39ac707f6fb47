package dev.sluice.zookeeper.nodes;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * One session with the servers, and the time for which it certainly lives. What was made in it is
 * asked for in it alone, so an answer never comes from a later session. Requests are sent in the
 * order of the calls; answers and watches arrive in order on the driver's thread.
 *
 * <p>Safe for use by many threads.
 */
public final class Session {
  /*
   * For how long a session lives is known from requests that went through the leader: writes and
   * syncs. A read proves nothing, since a server that lost its leader goes on answering reads for
   * some ticks while the leader ends the session.
   *
   * The leader ends a session when it has heard nothing of it for the session timeout T. A
   * server reports its live sessions to the leader once in half a tick; a request itself does not.
   * The driver sends something at least every T/3, unless the process stands still. So a clock of
   * ours beats, and a request that left more than T/8 after the last beat proves nothing, nor does
   * one that left within T/8 after such a pause: the leader may not have heard yet.
   *
   * At the moment of any other request that the leader answered it knew of a sign of life not
   * older than T/3, a pause of T/8 and half a tick, which is T/8 where T is four ticks or more.
   * The session lives for the rest, 5T/12, which is what we count, from before the request left.
   *
   * The beat cannot be seen to be late by less than two of ours. So this holds for T of 1.6 s
   * and more; servers with ticks of 2 s grant none below 4 s.
   */

  /** The interval at which the clock is read. */
  public static final Duration TICK = Duration.ofMillis(100);

  record Made(String path, Stat stat) {}

  public record Children(List<String> names, Stat stat) {}

  public record Data(byte[] bytes, Stat stat) {}

  private static final Stat NOTHING = new Stat();

  private final ZooKeeper handle;
  private final List<ACL> acl;
  private final Runnable onLost;
  private final AtomicLong provedAt;
  private volatile boolean proved;
  private volatile long beatAt;

  /** From then on, replies extend the certain time again. */
  private volatile long steadyFrom;

  private volatile boolean lost;

  public Session(ZooKeeper handle, List<ACL> acl, Runnable onLost) {
    this.handle = handle;
    this.acl = acl;
    this.onLost = onLost;
    long now = System.nanoTime();
    this.provedAt = new AtomicLong(now);
    this.beatAt = now;
    this.steadyFrom = now;
  }

  boolean is(ZooKeeper other) {
    return handle == other;
  }

  /** Returns whether the driver continues the session. */
  boolean isOpen() {
    return handle.getState().isAlive();
  }

  /** Its nodes are deleted before any client can send another request. */
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

  public long timeoutMicros() {
    return handle.getSessionTimeout() * 1000L;
  }

  /** The time for which the session certainly lasts, in microseconds; zero or less if unknown. */
  public long certainMicros(long now) {
    if (lost || !proved) {
      return 0;
    }
    return timeoutMicros() / 12 * 5 - (now - provedAt.get()) / 1000;
  }

  /** Returns whether the certain time is enough to begin an action. */
  public boolean isCertain(long now) {
    return certainMicros(now) > timeoutMicros() / 8;
  }

  /** Advances by the timer, which stops while the process is paused. */
  public void beat(long now) {
    if (isLate(now)) {
      steadyFrom = now + timeoutMicros() / 8 * 1000;
    }
    beatAt = now;
  }

  private boolean isLate(long now) {
    return now - beatAt > Math.max(timeoutMicros() / 8 * 1000, 2 * TICK.toNanos());
  }

  /** Completes when a request is likely to prove that the session lives. */
  CompletableFuture<?> steady() {
    long micros = timeoutMicros() / 8 + TICK.toNanos() / 1000;
    return CompletableFuture.runAsync(
        () -> {}, CompletableFuture.delayedExecutor(micros, TimeUnit.MICROSECONDS));
  }

  /** The send time of a request; null if its reply proves nothing. */
  private @Nullable Long leaves() {
    long now = System.nanoTime();
    return isLate(now) || now - steadyFrom < 0 ? null : now;
  }

  CompletableFuture<Made> create(String path, byte[] data, CreateMode mode) {
    CompletableFuture<Made> answer = new CompletableFuture<>();
    Long sentAt = leaves();
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

  public CompletableFuture<Data> get(String path, @Nullable Watcher watcher) {
    CompletableFuture<Data> answer = new CompletableFuture<>();
    handle.getData(path, watcher, dataTo(answer), null);
    return answer;
  }

  private DataCallback dataTo(CompletableFuture<Data> answer) {
    return (rc, asked, context, data, stat) ->
        settle(
            answer,
            rc,
            asked,
            null,
            rc == 0 ? new Data(data == null ? new byte[0] : data, stat) : null);
  }

  public CompletableFuture<Stat> set(String path, byte[] data, int version) {
    CompletableFuture<Stat> answer = new CompletableFuture<>();
    Long sentAt = leaves();
    handle.setData(
        path,
        data,
        version,
        (rc, asked, context, stat) -> settle(answer, rc, asked, sentAt, stat),
        null);
    return answer;
  }

  public CompletableFuture<Stat> delete(String path) {
    CompletableFuture<Stat> answer = new CompletableFuture<>();
    Long sentAt = leaves();
    handle.delete(
        path, -1, (rc, asked, context) -> settle(answer, rc, asked, sentAt, NOTHING), null);
    return answer;
  }

  /** Makes later reads see every earlier write. */
  public CompletableFuture<Stat> sync(String path) {
    CompletableFuture<Stat> answer = new CompletableFuture<>();
    Long sentAt = leaves();
    handle.sync(path, (rc, asked, context) -> settle(answer, rc, asked, sentAt, NOTHING), null);
    return answer;
  }

  CompletableFuture<Stat> replace(String path, String by, byte[] data, CreateMode mode) {
    CompletableFuture<Stat> answer = new CompletableFuture<>();
    Long sentAt = leaves();
    handle.multi(
        List.of(Op.delete(path, -1), Op.create(by, data, acl, mode)),
        (rc, asked, context, results) -> settle(answer, rc, path, sentAt, NOTHING),
        null);
    return answer;
  }

  /** The servers of the ensemble. */
  public CompletableFuture<Data> config() {
    CompletableFuture<Data> answer = new CompletableFuture<>();
    handle.getConfig(false, dataTo(answer), null);
    return answer;
  }

  /**
   * Returns whether the session has the rights to create and delete nodes here. Nothing is made.
   */
  public CompletableFuture<Boolean> mayMakeAndDelete(String path) {
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    String child = (path.length() == 1 ? "" : path) + "/sluice-doctor";
    handle.multi(
        List.of(
            Op.create(child, new byte[0], acl, CreateMode.EPHEMERAL),
            Op.delete(child, -1),
            Op.check(path, Integer.MAX_VALUE)), // no node has that version, so nothing is done
        (rc, asked, context, results) -> {
          if (rc == Code.BADVERSION.intValue() || rc == Code.NOAUTH.intValue()) {
            answer.complete(rc == Code.BADVERSION.intValue());
          } else {
            settle(answer, rc, path, null, null);
          }
        },
        null);
    return answer;
  }

  /** Returns whether every client may delete the nodes created here. */
  public boolean givesAwayRights() {
    return acl.stream()
        .anyMatch(
            entry ->
                entry.getId().equals(ZooDefs.Ids.ANYONE_ID_UNSAFE)
                    && (entry.getPerms() & ZooDefs.Perms.DELETE) != 0);
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
