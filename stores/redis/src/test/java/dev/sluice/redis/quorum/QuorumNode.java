package dev.sluice.redis.quorum;

import static dev.sluice.redis.quorum.Vote.Kind.ENTERED;
import static dev.sluice.redis.quorum.Vote.Kind.NO;
import static dev.sluice.redis.quorum.Vote.Kind.NOT_MEMBER;
import static dev.sluice.redis.quorum.Vote.Kind.OVER;
import static dev.sluice.redis.quorum.Vote.Kind.YES;
import static dev.sluice.spi.LockProtocol.HEARTBEAT_MICROS;
import static dev.sluice.spi.LockProtocol.RETENTION_MICROS;

import dev.sluice.lock.LockInfo;
import dev.sluice.redis.quorum.QuorumLink.JoinReply;
import dev.sluice.redis.quorum.QuorumLink.Memory;
import dev.sluice.spi.LockProtocol;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One node of a quorum, and every decision that it takes: the reference that the scripts {@code
 * quorum_*.lua} are compared with, and what the search of interleavings runs on. Methods are open
 * for planted faults. Not safe for use by several threads.
 */
class QuorumNode {
  private static final long TURN = 20_000_000;
  private static final long AHEAD = 1_000_000;

  private record Over(long attempt, long at) {}

  private record Ticket(long attempt, long arrival, long deadAt) {
    boolean isLive(long now) {
      return deadAt > now && deadAt <= now + HEARTBEAT_MICROS;
    }
  }

  /** The entry of an attempt. */
  static final class Entry {
    final String client;
    final long attempt;
    final long since;
    long token;
    long ttl;
    long expiresAt;
    boolean told;

    Entry(String client, long attempt, long ttl, long now) {
      this.client = client;
      this.attempt = attempt;
      this.since = now;
      this.ttl = ttl;
      this.expiresAt = now + ttl;
    }

    boolean is(String client, long attempt) {
      return this.client.equals(client) && this.attempt == attempt;
    }
  }

  /** The data of a node about one name. */
  static final class Lock {
    long fence;
    @Nullable Entry holder;
    final Map<String, Over> over = new HashMap<>();
    final Map<String, Ticket> waiting = new LinkedHashMap<>();
  }

  /** A message to a client. */
  record Delivery(String client, LockMessageText text) {}

  /** The kinds of its messages. */
  enum LockMessageText {
    GRANTED,
    WANTED
  }

  private final long ahead;
  private final long turn;
  final Map<String, Lock> locks = new TreeMap<>();
  private Map<String, Long> young = new HashMap<>();
  private Map<String, Long> old = new HashMap<>();
  final List<Delivery> deliveries = new ArrayList<>();
  String marker = "";
  private boolean known;
  private long maxTtl;
  private long high;
  private long before;
  private long floor;
  private long turned;
  private String joining = "";

  /** As the scripts decide. */
  QuorumNode() {
    this(AHEAD, TURN);
  }

  /**
   * A node that is no member.
   *
   * @param ahead how far the bound in the record runs ahead of what was stored
   * @param turn from one turn to the next, by the node's clock
   */
  QuorumNode(long ahead, long turn) {
    this.ahead = ahead;
    this.turn = turn;
  }

  // ---- the register ----

  /** What is forgotten is below the floor. */
  private void turn(long now) {
    if (now < turned) {
      turned = now;
    } else if (now - turned >= turn) {
      floor = before;
      before = high;
      turned = now;
      old = young;
      young = new HashMap<>();
    }
  }

  private long effective(Lock lock) {
    return Math.max(lock.fence, floor);
  }

  private void raise(long now, String name, Lock lock, Entry mine, long token, int block) {
    lock.fence = token + block - 1;
    mine.token = token;
    young.put(name, lock.fence);
    if (lock.fence > high) {
      high = Math.min(lock.fence + ahead, LockProtocol.MAX_TOKEN);
    }
    turn(now);
  }

  /** Whether a proposal is higher than all before. */
  protected boolean isHigher(long fence, long token) {
    return fence < token;
  }

  // ---- verbs ----

  private Lock lock(String name) {
    return locks.computeIfAbsent(name, this::fresh);
  }

  /** The same, to look at it. */
  private Lock look(String name) {
    Lock lock = locks.get(name);
    return lock == null ? fresh(name) : lock;
  }

  private Lock fresh(String name) {
    Lock lock = new Lock();
    lock.fence = kept(name);
    return lock;
  }

  /** What stays of a name when its vote has expired. */
  protected long kept(String name) {
    return Math.max(young.getOrDefault(name, 0L), old.getOrDefault(name, 0L));
  }

  /** After a backward step of the clock nothing lasts longer than it was given. */
  private static long end(Entry entry, long now) {
    return Math.min(entry.expiresAt, now + entry.ttl);
  }

  private static boolean isExpired(Entry entry, long now) {
    return end(entry, now) <= now;
  }

  private static Vote notMember() {
    return new Vote(NOT_MEMBER, 0, 0, 0);
  }

  private Vote answer(long now, Lock lock, Vote.Kind kind) {
    int waiting = (int) lock.waiting.values().stream().filter(t -> t.isLive(now)).count();
    long remaining = lock.holder == null ? 0 : Math.max(0, end(lock.holder, now) - now);
    return new Vote(kind, effective(lock), remaining, waiting);
  }

  Vote acquire(
      long now,
      String run,
      String name,
      String client,
      long attempt,
      long ttl,
      long token,
      int block,
      boolean waits) {
    if (!isMember(run)) {
      return notMember();
    }
    Lock lock = lock(name);
    Entry holder = lock.holder;
    if (isOver(now, lock, client, attempt)) {
      return answer(now, lock, OVER);
    }
    if (holder != null && isExpired(holder, now)) {
      holder = null;
    }
    if (holder != null && holder.client.equals(client) && holder.attempt > attempt) {
      return answer(now, lock, OVER);
    }
    lock.holder = holder;
    if (holder != null) {
      holder.expiresAt = end(holder, now);
    }
    if (holder != null && !holder.client.equals(client)) {
      if (waits) {
        Ticket known = lock.waiting.get(client);
        boolean stays = known != null && known.deadAt > now && known.arrival <= now;
        lock.waiting.put(
            client, new Ticket(attempt, stays ? known.arrival : now, now + HEARTBEAT_MICROS));
      }
      if (!holder.told || client.equals(first(now, lock))) {
        holder.told = true;
        deliveries.add(new Delivery(holder.client, LockMessageText.WANTED));
      }
      return answer(now, lock, NO);
    }
    lock.waiting.remove(client);
    if (holder != null && holder.attempt < attempt) {
      remember(now, lock, client, holder.attempt);
      holder = null;
    }
    if (holder == null) {
      holder = new Entry(client, attempt, ttl, now);
      lock.holder = holder;
    } else {
      holder.ttl = Math.max(holder.ttl, ttl);
      holder.expiresAt = Math.max(holder.expiresAt, now + ttl);
    }
    if (isHigher(effective(lock), token)) {
      raise(now, name, lock, holder, token, block);
      return answer(now, lock, YES);
    }
    return answer(now, lock, ENTERED);
  }

  Vote raise(
      long now, String run, String name, String client, long attempt, long token, int block) {
    if (!isMember(run)) {
      return notMember();
    }
    Lock lock = look(name);
    Entry holder = lock.holder;
    if (holder == null || !holder.is(client, attempt) || isExpired(holder, now)) {
      return answer(now, lock, NO);
    }
    if (effective(lock) >= token) {
      return answer(now, lock, ENTERED);
    }
    holder.expiresAt = end(holder, now);
    raise(now, name, lock, holder, token, block);
    return answer(now, lock, YES);
  }

  Vote renew(long now, String run, String name, String client, long attempt, long ttl) {
    if (!isMember(run)) {
      return notMember();
    }
    Lock lock = lock(name);
    Entry holder = lock.holder;
    if (holder != null && isExpired(holder, now)) {
      holder = null;
    }
    Vote.Kind kind = YES;
    if (holder == null) {
      if (isOver(now, lock, client, attempt)) {
        return answer(now, lock, NO);
      }
      holder = new Entry(client, attempt, ttl, now);
      kind = ENTERED;
    } else if (!holder.is(client, attempt)) {
      return answer(now, lock, NO);
    }
    lock.holder = holder;
    holder.told = false;
    holder.expiresAt = end(holder, now);
    holder.ttl = Math.max(holder.ttl, ttl);
    holder.expiresAt = Math.max(holder.expiresAt, now + ttl);
    return answer(now, lock, kind);
  }

  Vote release(long now, String run, String name, String client, long attempt, boolean waits) {
    if (!isMember(run)) {
      return notMember();
    }
    Lock lock = lock(name);
    if (!waits) {
      lock.waiting.remove(client);
    }
    String first = first(now, lock);
    remember(now, lock, client, attempt);
    Entry holder = lock.holder;
    Vote.Kind kind = NO;
    if (holder != null) {
      holder.expiresAt = end(holder, now);
    }
    if (holder != null && isExpired(holder, now)) {
      holder = null;
    }
    lock.holder = holder;
    if (holder != null && frees(holder, client, attempt)) {
      kind = YES;
      lock.holder = null;
    }
    if (kind == YES && first != null && !first.equals(client)) {
      deliveries.add(new Delivery(first, LockMessageText.GRANTED));
    }
    return answer(now, lock, kind);
  }

  /** Whether a release of this attempt frees the entry. */
  protected boolean frees(Entry entry, String client, long attempt) {
    return entry.client.equals(client) && entry.attempt <= attempt;
  }

  private static @Nullable String first(long now, Lock lock) {
    String first = null;
    long earliest = 0;
    for (Map.Entry<String, Ticket> each : new TreeMap<>(lock.waiting).entrySet()) {
      if (each.getValue().isLive(now) && (first == null || each.getValue().arrival < earliest)) {
        first = each.getKey();
        earliest = each.getValue().arrival;
      }
    }
    return first;
  }

  NodeView inspect(long now, String run, String name) {
    if (!isMember(run)) {
      return new NodeView(false, 0, "-", 0, 0, 0, 0, List.of(), List.of());
    }
    Lock lock = look(name);
    List<LockInfo.Waiter> waiters = new ArrayList<>();
    List<Long> arrivals = new ArrayList<>();
    for (Map.Entry<String, Ticket> each : new TreeMap<>(lock.waiting).entrySet()) {
      if (each.getValue().isLive(now)) {
        waiters.add(new LockInfo.Waiter(each.getKey(), each.getValue().attempt));
        arrivals.add(each.getValue().arrival);
      }
    }
    Entry holder = lock.holder;
    return holder == null || isExpired(holder, now)
        ? new NodeView(true, lock.fence, "-", 0, 0, 0, 0, waiters, arrivals)
        : new NodeView(
            true,
            lock.fence,
            holder.client,
            holder.attempt,
            holder.token,
            holder.since,
            end(holder, now) - now,
            waiters,
            arrivals);
  }

  // ---- tombstones ----

  private static boolean isOver(long now, Lock lock, String client, long attempt) {
    Over last = lock.over.get(client);
    return last != null && last.attempt >= attempt && now - last.at < RETENTION_MICROS;
  }

  /** Notes that attempts up to this one are over. */
  protected void remember(long now, Lock lock, String client, long attempt) {
    Over last = lock.over.get(client);
    boolean fresh = last != null && now - last.at < RETENTION_MICROS;
    lock.over.put(client, new Over(fresh ? Math.max(last.attempt, attempt) : attempt, now));
  }

  // ---- membership ----

  boolean isMember(String run) {
    return marker.equals(run);
  }

  JoinReply requestJoin(String run, String id, boolean durable) {
    if (!isMember(run) && known && durable) {
      marker = run;
    }
    if (isMember(run)) {
      return new JoinReply(true, true, maxTtl, "-");
    }
    if (!joining.startsWith(run) || joining.isEmpty()) {
      joining = run + id;
    }
    return new JoinReply(false, known, maxTtl, joining.substring(run.length()));
  }

  Memory learn(String run) {
    return new Memory(isMember(run), known, maxTtl, high);
  }

  boolean join(String run, String id, long learnt, long longest) {
    if (isMember(run)) {
      return true;
    }
    if (!joining.equals(run + id)) {
      return false;
    }
    marker = run;
    known = true;
    high = Math.max(high, learnt);
    before = high;
    floor = high;
    turned = 0;
    maxTtl = Math.max(maxTtl, longest);
    joining = "";
    return true;
  }

  /** Loses everything, as by a flush or a restart without data. */
  void lose() {
    locks.clear();
    young.clear();
    old.clear();
    marker = "";
    known = false;
    maxTtl = 0;
    high = 0;
    before = 0;
    floor = 0;
    turned = 0;
    joining = "";
  }

  /** Forgets a name, as by its expiry. */
  void forget(String name) {
    locks.remove(name);
  }
}
