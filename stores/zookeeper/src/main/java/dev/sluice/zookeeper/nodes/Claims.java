package dev.sluice.zookeeper.nodes;

import dev.sluice.BackendException;
import dev.sluice.spi.GrantAttempt;
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
public final class Claims implements Link.SessionListener {

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
  public record Terms(
      int capacity, int least, int most, long ttlMicros, int block, boolean queue) {}

  private record Key(String name, String client) {}

  /** The claim of one client on one name. Changed under the map's own lock. */
  private static final class ClientClaims {
    final Map<Long, AttemptNode> claims = new HashMap<>(2);

    /** The highest attempt known. An attempt up to it that is not among the claims has ended. */
    long highest;

    long usedAt;
  }

  private final Link link;
  private final String root;
  private final Folders folders;
  private final Duration timeout;

  /**
   * Units are counted: a client may have several claims on a name, and the folder stores the
   * capacity.
   */
  private final boolean counted;

  private final ConcurrentHashMap<Key, ClientClaims> claimsByClient = new ConcurrentHashMap<>();
  private final Set<AttemptNode> doomed = ConcurrentHashMap.newKeySet();

  /** Nodes without a holder, and when they end if that is known. */
  private final ConcurrentHashMap<String, Long> nobodys = new ConcurrentHashMap<>();

  private final ConcurrentHashMap<String, Consumer<LockMessage>> listeners =
      new ConcurrentHashMap<>();

  public Claims(Link link, Folders folders, String kind, boolean counted, Duration timeout) {
    this.link = link;
    this.folders = folders;
    this.root = folders.root() + "/" + kind;
    this.counted = counted;
    this.timeout = timeout;
    link.addListener(this);
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

  /** Returns whether a waiter reads every change of the queue, or only the node before its own. */
  boolean watchesAll() {
    return counted;
  }

  public <T> CompletableFuture<T> within(CompletableFuture<T> raw, String what) {
    return KeeperFailures.within(raw, timeout, link.describe(), what);
  }

  // ---- the verbs ----

  /** A claim, and the servers' reply to it. */
  public record PendingGrant(AttemptNode claim, CompletableFuture<GrantReply> reply) {}

  /**
   * Asks. Null if the attempt is over.
   *
   * @throws BackendException if there is no connection
   */
  @Nullable
  public PendingGrant acquire(String name, String client, long attempt, Terms terms) {
    List<AttemptNode> ended = new ArrayList<>(0);
    AttemptNode[] mine = new AttemptNode[1];
    Session session = link.isConnected() ? link.session() : null;
    claimsByClient.compute(
        new Key(name, client),
        (key, known) -> {
          ClientClaims own = known == null ? new ClientClaims() : known;
          own.usedAt = System.nanoTime();
          AttemptNode claim = own.claims.get(attempt);
          if (claim == null && attempt > own.highest) {
            if (session == null) {
              throw new BackendException(link.describe() + " is not connected", null);
            }
            claim = new AttemptNode(this, session, name, client, attempt, terms);
            if (!counted) { // an older attempt of a lock is replaced
              ended.addAll(own.claims.values());
              own.claims.clear();
            }
            own.claims.put(attempt, claim);
            own.highest = attempt;
          }
          mine[0] = claim;
          return own;
        });
    AttemptNode claim = mine[0];
    if (claim == null) {
      ended.forEach(this::bury);
      return null;
    }
    Runnable buryEnded =
        () -> {
          ended.forEach(this::bury);
          ended.clear();
        };
    CompletableFuture<GrantReply> reply = claim.ask(terms, buryEnded);
    buryEnded.run(); // if it was over before it entered
    if (claim.session.isLost()) {
      claim.sessionLost(); // the link may have told before the claim was there
    }
    return new PendingGrant(claim, reply);
  }

  public CompletableFuture<RenewReply> renew(GrantAttempt attempt, long ttlMicros) {
    AttemptNode claim = find(attempt);
    return within(
        claim == null
            ? CompletableFuture.completedFuture(new RenewReply.Gone())
            : claim.renew(ttlMicros),
        "renew " + attempt.name());
  }

  /** Ends an attempt; of a lock, the earlier ones with it. */
  public CompletableFuture<Boolean> release(GrantAttempt attempt) {
    long number = attempt.attempt();
    List<AttemptNode> ended = new ArrayList<>(1);
    claimsByClient.compute(
        new Key(attempt.name(), attempt.client()),
        (key, known) -> {
          ClientClaims own = known == null ? new ClientClaims() : known;
          own.usedAt = System.nanoTime();
          own.highest = Math.max(own.highest, number);
          own.claims
              .values()
              .removeIf(
                  claim -> {
                    boolean over = counted ? claim.attempt == number : claim.attempt <= number;
                    return over && ended.add(claim);
                  });
          return own;
        });
    CompletableFuture<Boolean> freed = KeeperFailures.NO;
    for (AttemptNode claim : ended) {
      CompletableFuture<Boolean> one = bury(claim);
      freed = claim.attempt == number ? one : freed;
    }
    return within(freed, "release " + attempt.name());
  }

  /** Ends an attempt; its node stays without a holder for a while. */
  public CompletableFuture<Boolean> leave(GrantAttempt attempt, long delayMicros) {
    AttemptNode claim = find(attempt);
    return within(
        claim == null ? KeeperFailures.NO : claim.leave(delayMicros),
        "delayed release " + attempt.name());
  }

  public CompletableFuture<Boolean> shrink(GrantAttempt attempt, int keep) {
    AttemptNode claim = find(attempt);
    return within(
        claim == null ? KeeperFailures.NO : claim.shrink(keep), "release " + attempt.name());
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

  /** Ends all claims. */
  public CompletableFuture<?> close() {
    List<CompletableFuture<?>> ends = new ArrayList<>();
    doomed.forEach(claim -> ends.add(deleteAgain(claim)));
    all().forEach(claim -> ends.add(end(claim)));
    return CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new));
  }

  /** Returns whether no node is left for this process to delete. */
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

  private @Nullable AttemptNode find(GrantAttempt attempt) {
    AttemptNode[] found = new AttemptNode[1];
    claimsByClient.computeIfPresent(
        new Key(attempt.name(), attempt.client()),
        (key, own) -> {
          found[0] = own.claims.get(attempt.attempt());
          return own;
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

  void forget(AttemptNode claim) {
    claimsByClient.computeIfPresent(
        new Key(claim.name, claim.client),
        (key, own) -> {
          own.claims.remove(claim.attempt, claim);
          own.usedAt = System.nanoTime();
          return own;
        });
  }

  /** Ends a claim without a request of its client. */
  CompletableFuture<Boolean> end(AttemptNode claim) {
    forget(claim);
    return bury(claim);
  }

  /** Its node is deleted when the servers answer, at the latest when the session ends. */
  private CompletableFuture<Boolean> bury(AttemptNode claim) {
    doomed.add(claim);
    return claim.end().whenComplete((freed, failure) -> buried(claim, failure));
  }

  private CompletableFuture<Boolean> deleteAgain(AttemptNode claim) {
    return claim.delete().whenComplete((freed, failure) -> buried(claim, failure));
  }

  private void buried(AttemptNode claim, @Nullable Throwable failure) {
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

  /** Ends expired claims, and retries failed deletions. */
  public void tick() {
    long now = System.nanoTime();
    for (Map.Entry<Key, ClientClaims> entry : claimsByClient.entrySet()) {
      List<AttemptNode> claims = new ArrayList<>(1);
      claimsByClient.computeIfPresent(
          entry.getKey(),
          (key, own) -> {
            claims.addAll(own.claims.values());
            boolean idle =
                claims.isEmpty() && now - own.usedAt > LockProtocol.RETENTION_MICROS * 1000;
            return idle ? null : own;
          });
      claims.forEach(claim -> claim.tick(now));
    }
    if (link.isConnected()) {
      nobodys.forEach((path, dueAt) -> endNobodys(path, now, dueAt));
      for (AttemptNode claim : doomed) {
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

  private List<AttemptNode> all() {
    List<AttemptNode> all = new ArrayList<>();
    for (Key key : claimsByClient.keySet()) {
      claimsByClient.computeIfPresent(
          key,
          (k, own) -> {
            all.addAll(own.claims.values());
            return own;
          });
    }
    return all;
  }

  @Override
  public void suspended() {
    all().forEach(AttemptNode::suspended);
  }

  @Override
  public void lost(Session session) {
    for (AttemptNode claim : all()) {
      if (claim.session == session) {
        claim.sessionLost();
      }
    }
    doomed.removeIf(claim -> claim.session == session);
  }
}
