package dev.sluice.zookeeper.nodes;

import dev.sluice.BackendException;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.LockProtocol;
import dev.sluice.spi.RenewReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * The claims of this process on names of one kind: locks, or units of semaphores and read-write
 * locks. Safe for use by many threads.
 */
public final class Claims implements Link.Ear {

  /**
   * The terms of a claim.
   *
   * @param capacity units that the name has; 1 for a lock
   * @param least units without which a grant is of no use
   * @param most units that are welcome if they are free
   * @param ttlMicros for how long
   * @param block tokens that are welcome
   * @param queue whether to wait
   */
  public record Want(int capacity, int least, int most, long ttlMicros, int block, boolean queue) {}

  private record Key(String name, String client) {}

  /** The claim of one client on one name. Changed under the map's own lock. */
  private static final class Seat {
    final Map<Long, Claim> claims = new HashMap<>(2);

    /** The highest attempt that was heard of: what is not among the claims any more is over. */
    long highest;

    long usedAt;
  }

  private final Link link;
  private final String root;
  private final Folders folders;
  private final Duration timeout;

  /** Units are counted: several claims of a client at one name, and a capacity in the folder. */
  private final boolean counted;

  private final ConcurrentHashMap<Key, Seat> seats = new ConcurrentHashMap<>();
  private final Set<Claim> doomed = ConcurrentHashMap.newKeySet();

  /** Places without a holder, and when they end, as far as known. */
  private final ConcurrentHashMap<String, Long> nobodys = new ConcurrentHashMap<>();

  private final ConcurrentHashMap<String, Consumer<LockMessage>> listeners =
      new ConcurrentHashMap<>();

  public Claims(Link link, Folders folders, String kind, boolean counted, Duration timeout) {
    this.link = link;
    this.folders = folders;
    this.root = folders.root() + "/" + kind;
    this.counted = counted;
    this.timeout = timeout;
    link.tell(this);
  }

  String root() {
    return root;
  }

  public String folder(String name) {
    return root + "/" + Nodes.encode(name);
  }

  public Session session() {
    return link.session();
  }

  boolean isConnected() {
    return link.isConnected();
  }

  /** Whether who waits looks at every change of the queue; otherwise at who is in front only. */
  boolean watchesAll() {
    return counted;
  }

  public <T> CompletableFuture<T> within(CompletableFuture<T> raw, String what) {
    return KeeperFailures.within(raw, timeout, link.describe(), what);
  }

  // ---- the verbs ----

  /** A claim, and what the servers say to it. */
  public record Asked(Claim claim, CompletableFuture<GrantReply> reply) {}

  /**
   * Asks. Null if the attempt is over.
   *
   * @throws BackendException if there is no connection
   */
  @Nullable
  public Asked acquire(String name, String client, long attempt, Want want) {
    List<Claim> ended = new ArrayList<>(0);
    Claim[] mine = new Claim[1];
    Session session = link.isConnected() ? link.session() : null;
    seats.compute(
        new Key(name, client),
        (key, known) -> {
          Seat seat = known == null ? new Seat() : known;
          seat.usedAt = System.nanoTime();
          Claim claim = seat.claims.get(attempt);
          if (claim == null && attempt > seat.highest) {
            if (session == null) {
              throw new BackendException(link.describe() + " is not connected", null);
            }
            claim = new Claim(this, session, name, client, attempt, want);
            if (!counted) { // an older attempt of a lock is replaced
              ended.addAll(seat.claims.values());
              seat.claims.clear();
            }
            seat.claims.put(attempt, claim);
            seat.highest = attempt;
          }
          mine[0] = claim;
          return seat;
        });
    Claim claim = mine[0];
    if (claim == null) {
      ended.forEach(this::bury);
      return null;
    }
    Runnable buryEnded =
        () -> {
          ended.forEach(this::bury);
          ended.clear();
        };
    CompletableFuture<GrantReply> reply = claim.ask(want, buryEnded);
    buryEnded.run(); // if it was over before it entered
    if (claim.session.isLost()) {
      claim.sessionLost(); // the link may have told before the claim was there
    }
    return new Asked(claim, reply);
  }

  public CompletableFuture<RenewReply> renew(
      String name, String client, long attempt, long ttlMicros) {
    Claim claim = find(name, client, attempt);
    return within(
        claim == null
            ? CompletableFuture.completedFuture(new RenewReply.Gone())
            : claim.renew(ttlMicros),
        "renew " + name);
  }

  /** Ends an attempt; of a lock, the earlier ones with it. */
  public CompletableFuture<Boolean> release(String name, String client, long attempt) {
    List<Claim> ended = new ArrayList<>(1);
    seats.compute(
        new Key(name, client),
        (key, known) -> {
          Seat seat = known == null ? new Seat() : known;
          seat.usedAt = System.nanoTime();
          seat.highest = Math.max(seat.highest, attempt);
          seat.claims
              .values()
              .removeIf(
                  claim -> {
                    boolean over = counted ? claim.attempt == attempt : claim.attempt <= attempt;
                    return over && ended.add(claim);
                  });
          return seat;
        });
    CompletableFuture<Boolean> freed = KeeperFailures.NO;
    for (Claim claim : ended) {
      CompletableFuture<Boolean> one = bury(claim);
      freed = claim.attempt == attempt ? one : freed;
    }
    return within(freed, "release " + name);
  }

  /** Ends an attempt and leaves its place without a holder for a while. */
  public CompletableFuture<Boolean> leave(
      String name, String client, long attempt, long delayMicros) {
    Claim claim = find(name, client, attempt);
    return within(
        claim == null ? KeeperFailures.NO : claim.leave(delayMicros), "delayed release " + name);
  }

  public CompletableFuture<Boolean> shrink(String name, String client, long attempt, int keep) {
    Claim claim = find(name, client, attempt);
    return within(claim == null ? KeeperFailures.NO : claim.shrink(keep), "release " + name);
  }

  public CompletableFuture<List<String>> names(int limit) {
    Session session = link.session();
    CompletableFuture<?> synced = session.sync(root);
    return within(
        synced
            .thenCombine(session.children(root, null), (done, seen) -> seen.names())
            .handle(
                (seen, failure) -> {
                  if (seen != null) {
                    return seen.stream().limit(limit).map(Nodes::decode).toList();
                  }
                  Throwable cause = KeeperFailures.unwrap(failure);
                  if (KeeperFailures.isNoNode(cause)) {
                    return List.<String>of();
                  }
                  throw KeeperFailures.wrapped(cause);
                }),
        "names");
  }

  /** Ends all that is claimed. */
  public CompletableFuture<?> close() {
    List<CompletableFuture<?>> ends = new ArrayList<>();
    doomed.forEach(claim -> ends.add(deleteAgain(claim)));
    all().forEach(claim -> ends.add(end(claim)));
    return CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new));
  }

  /** Whether no node is left to be deleted, but by the servers. */
  public boolean isDone() {
    doomed.removeIf(claim -> claim.session.isLost() || !claim.session.isOpen());
    return doomed.isEmpty();
  }

  public void listen(String client, Consumer<LockMessage> listener) {
    listeners.put(client, listener);
  }

  public void unlisten(String client) {
    listeners.remove(client);
  }

  private @Nullable Claim find(String name, String client, long attempt) {
    Claim[] found = new Claim[1];
    seats.computeIfPresent(
        new Key(name, client),
        (key, seat) -> {
          found[0] = seat.claims.get(attempt);
          return seat;
        });
    return found[0];
  }

  // ---- for claims ----

  void post(String client, LockMessage.Kind kind, String name) {
    Consumer<LockMessage> listener = listeners.get(client);
    if (listener != null) {
      listener.accept(new LockMessage(kind, name));
    }
  }

  void forget(Claim claim) {
    seats.computeIfPresent(
        new Key(claim.name, claim.client),
        (key, seat) -> {
          seat.claims.remove(claim.attempt, claim);
          seat.usedAt = System.nanoTime();
          return seat;
        });
  }

  /** Ends a claim on our own account. */
  CompletableFuture<Boolean> end(Claim claim) {
    forget(claim);
    return bury(claim);
  }

  /** Its node is deleted, now or when the servers answer again; at the latest with its session. */
  private CompletableFuture<Boolean> bury(Claim claim) {
    doomed.add(claim);
    return claim.end().whenComplete((freed, failure) -> buried(claim, failure));
  }

  private CompletableFuture<Boolean> deleteAgain(Claim claim) {
    return claim.delete().whenComplete((freed, failure) -> buried(claim, failure));
  }

  private void buried(Claim claim, @Nullable Throwable failure) {
    if (failure == null || claim.session.isLost() || KeeperFailures.isRefused(failure)) {
      doomed.remove(claim);
    } else {
      claim.failedToEnd();
    }
  }

  public CompletableFuture<Nodes.Queue> look(
      Session session, String name, @Nullable Watcher watcher) {
    String path = folder(name);
    CompletableFuture<Session.Children> children = session.children(path, watcher);
    if (!counted) {
      return children.handle((seen, failure) -> queue(path, seen, Nodes.Capacity.ONE, failure));
    }
    CompletableFuture<Session.Data> data = session.get(path, watcher);
    return children
        .thenCombine(
            data,
            (seen, folder) ->
                Nodes.Queue.of(path, seen, Nodes.Capacity.parse(path, folder.bytes())))
        .handle(
            (queue, failure) -> {
              if (failure == null) {
                return queue;
              }
              return queue(path, null, Nodes.Capacity.NONE, failure);
            });
  }

  private static Nodes.Queue queue(
      String path,
      Session.@Nullable Children seen,
      Nodes.Capacity capacity,
      @Nullable Throwable failure) {
    if (seen != null) {
      return Nodes.Queue.of(path, seen, capacity);
    }
    Throwable cause = KeeperFailures.unwrap(failure);
    if (KeeperFailures.isNoNode(cause)) {
      return new Nodes.Queue(List.of(), capacity, new Stat(), 0);
    }
    throw KeeperFailures.wrapped(cause);
  }

  public CompletableFuture<Boolean> makeFolder(Session session, String name, int capacity) {
    byte[] data = counted ? new Nodes.Capacity(capacity, null).bytes() : new byte[0];
    return folders.make(session, folder(name), data, CreateMode.CONTAINER);
  }

  // ---- by the clock ----

  /** Ends what ran out, and goes on with what could not be done. */
  public void tick() {
    long now = System.nanoTime();
    for (Map.Entry<Key, Seat> entry : seats.entrySet()) {
      List<Claim> claims = new ArrayList<>(1);
      seats.computeIfPresent(
          entry.getKey(),
          (key, seat) -> {
            claims.addAll(seat.claims.values());
            boolean idle =
                claims.isEmpty() && now - seat.usedAt > LockProtocol.RETENTION_MICROS * 1000;
            return idle ? null : seat;
          });
      claims.forEach(claim -> claim.tick(now));
    }
    if (link.isConnected()) {
      nobodys.forEach((path, dueAt) -> endNobodys(path, now, dueAt));
      for (Claim claim : doomed) {
        if (claim.isToBeEndedAgain()) {
          deleteAgain(claim);
        }
      }
    }
  }

  void sawNobodys(String path, long micros) {
    nobodys.putIfAbsent(path, System.nanoTime() + micros * 1000);
  }

  private void endNobodys(String path, long now, long dueAt) {
    if (now - dueAt >= 0) {
      link.session()
          .delete(path)
          .whenComplete(
              (done, failure) -> {
                if (failure == null || !KeeperFailures.isUnknown(failure)) {
                  nobodys.remove(path);
                }
              });
    }
  }

  private List<Claim> all() {
    List<Claim> all = new ArrayList<>();
    for (Key key : seats.keySet()) {
      seats.computeIfPresent(
          key,
          (k, seat) -> {
            all.addAll(seat.claims.values());
            return seat;
          });
    }
    return all;
  }

  @Override
  public void suspended() {
    all().forEach(Claim::suspended);
  }

  @Override
  public void lost(Session session) {
    for (Claim claim : all()) {
      if (claim.session == session) {
        claim.sessionLost();
      }
    }
    doomed.removeIf(claim -> claim.session == session);
  }
}
