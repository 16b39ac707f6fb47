package dev.sluice.state.grant;

import static dev.sluice.spi.LockProtocol.CLAIM_MICROS;
import static dev.sluice.spi.LockProtocol.MAX_LEAD_MICROS;
import static dev.sluice.spi.LockProtocol.MAX_TOKEN;
import static dev.sluice.spi.LockProtocol.RETENTION_MICROS;

import dev.sluice.ForeignDataException;
import dev.sluice.lock.ForcedRelease;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.PermitInfo;
import dev.sluice.lock.WrongCapacityException;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.RenewReply;
import dev.sluice.state.States;
import dev.sluice.state.grant.GrantQueue.Ticket;
import dev.sluice.text.Names;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One lock, semaphore or read-write lock as its store sees it, and every decision about it: a
 * function of the state, the store's time and the request. No clock, no thread, no store in here;
 * the caller keeps the state and makes each call one atomic step. Not thread-safe.
 */
public class GrantState {
  /*
   * Protocols P1 (one store, tombstones, clock floor), P3 (blocks of tokens) and P4 (fair queue)
   * of docs/protocols.md, in one state, with units: a grant takes some of the capacity. A lock has
   * one unit; of a read-write lock a reader takes one unit and a writer all. The Redis scripts are
   * the only twin of this class: stores/redis/src/main/resources/dev/sluice/redis/lua/lock. What
   * must not be changed, each proved necessary by a counterexample:
   *
   * - release and renew compare the client and the attempt, not the client alone;
   * - release remembers that the attempt is over, so an acquire that arrives late takes nothing;
   * - a token is at least the store's clock, so tokens grow when the state was lost;
   * - every poll sweeps, and release hands over in the same step; a newcomer never passes a live
   *   ticket;
   * - units go to the head of the queue or stay free: a small request never passes a large one that
   *   came before, or the large one would starve;
   * - a grant's units never grow, so a repeated or late return changes nothing.
   *
   * Methods are open for tests that plant those faults.
   */

  /** The holder of a delayed release. No client has this name. */
  static final String NOBODY = "-";

  final String name;
  final GrantKind kind;

  /** The highest token ever granted or reserved. */
  long fence;

  /** Zero until a client sets it. */
  int capacity;

  /** The grants in order; a loop by index allocates nothing. */
  final List<Grant> grants = new ArrayList<>(1);

  final Tombstones over = new Tombstones();
  final GrantQueue queue = new GrantQueue();
  long lastUse;

  /**
   * A name that was never used.
   *
   * @param name the lock, semaphore or read-write lock
   * @param kind which of them
   */
  public GrantState(String name, GrantKind kind) {
    this.name = name;
    this.kind = kind;
    this.capacity = kind == GrantKind.LOCK ? 1 : 0;
  }

  /**
   * Decides an acquire or a poll.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param request who asks, for what
   * @param post carries messages that follow from the decision
   * @return the answer
   * @throws WrongCapacityException if the name has another capacity; the ticket is removed
   * @throws ForeignDataException if no token is left
   */
  public GrantReply acquire(long now, GrantRequest request, States.Post<LockMessage> post) {
    String client = request.client();
    long attempt = request.attempt();
    boolean isOver = isOver(now, client, attempt);
    if (isOver && kind == GrantKind.LOCK) {
      return new GrantReply.Over(); // nothing changes, so nothing is written
    }
    touch(now);
    Grant mine = find(client, attempt);
    if (mine != null) {
      return takeUp(now, mine, request);
    }
    Grant replaced = kind == GrantKind.LOCK ? lockOf(client) : null;
    Ticket earlier = queue.of(client);
    if (isOver
        || (replaced != null && replaced.attempt > attempt)
        || (earlier != null && earlier.attempt() > attempt)) {
      return new GrantReply.Over();
    }
    if (replaced != null) {
      over.add(now, client, replaced.attempt);
      grants.remove(replaced);
    }
    if (earlier != null && earlier.attempt() < attempt) {
      queue.remove(client);
    }
    settle(request);
    handOver(now, client, post);
    if (queue.isNext(request) && free() >= request.least()) {
      queue.remove(client);
      return granted(now, grant(now, request));
    }
    return refuse(now, request, post);
  }

  private @Nullable Grant lockOf(String client) {
    Grant held = grants.isEmpty() ? null : grants.get(0);
    return held != null && held.client.equals(client) ? held : null;
  }

  private void settle(GrantRequest request) {
    if (capacity == 0) {
      capacity = request.capacity();
    } else if (capacity != request.capacity()) {
      queue.remove(request.client());
      throw new WrongCapacityException(Names.quoted(name), capacity, request.capacity());
    }
  }

  private GrantReply takeUp(long now, Grant mine, GrantRequest request) {
    if (mine.pending) {
      mine.pending = false;
      mine.ttl = request.ttlMicros();
      mine.expiresAt = now + mine.ttl;
    }
    return granted(now, mine);
  }

  private GrantReply granted(long now, Grant mine) {
    return new GrantReply.Granted(
        mine.token, mine.block, mine.expiresAt - now, queue.size(), mine.units);
  }

  private GrantReply refuse(long now, GrantRequest request, States.Post<LockMessage> post) {
    long remaining = grants.isEmpty() ? 0 : Long.MAX_VALUE;
    for (Grant grant : grants) {
      remaining = Math.min(remaining, grant.expiresAt - now);
    }
    if (!request.queue()) {
      sendWanted(request.client(), false, post);
      return new GrantReply.Busy(remaining);
    }
    queue.put(request, now);
    int position = queue.positionOf(request.client());
    if (position == 0) {
      sendWanted(request.client(), true, post);
    }
    return new GrantReply.Queued(position, remaining);
  }

  /**
   * Sends a message to the other holders. Holders that have got one before get it again only if it
   * is to be repeated.
   */
  private void sendWanted(String by, boolean again, States.Post<LockMessage> post) {
    for (Grant grant : grants) {
      if (!grant.pending
          && !grant.client.equals(by)
          && !grant.client.equals(NOBODY)
          && (again || !grant.wanted)) {
        grant.wanted = true;
        post.send(grant.client, new LockMessage(LockMessage.Kind.WANTED, name));
      }
    }
  }

  /**
   * Decides a renewal.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param client the process
   * @param attempt the granted attempt
   * @param ttlMicros time from now
   * @return the answer
   */
  public RenewReply renew(long now, String client, long attempt, long ttlMicros) {
    touch(now);
    Grant mine = find(client, attempt);
    if (mine == null) {
      return new RenewReply.Gone();
    }
    mine.pending = false;
    mine.wanted = false; // the message may be lost: told again for the next who wants it
    mine.ttl = Math.max(mine.ttl, ttlMicros);
    mine.expiresAt = Math.max(mine.expiresAt, now + ttlMicros);
    dropDead(now, null);
    return new RenewReply.Renewed(mine.expiresAt - now, queue.size());
  }

  /**
   * Ends an attempt, whether it holds units, waits for them, or never arrived; or returns some of
   * its units.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param client the process
   * @param attempt the attempt
   * @param keep units that the grant keeps; zero ends the attempt
   * @param post carries messages that follow from the decision
   * @return true if the attempt had a live grant
   */
  public boolean release(
      long now, String client, long attempt, int keep, States.Post<LockMessage> post) {
    touch(now);
    if (keep == 0) {
      over.add(now, client, attempt);
      Ticket ticket = queue.of(client);
      if (ticket != null && ticket.attempt() <= attempt) {
        queue.remove(client);
      }
    }
    Grant mine = null;
    for (int i = 0; i < grants.size() && mine == null; i++) {
      mine = ends(grants.get(i), client, attempt) ? grants.get(i) : null;
    }
    if (mine != null) {
      mine.units = Math.min(mine.units, keep);
      if (keep == 0) {
        grants.remove(mine);
      }
    }
    handOver(now, null, post);
    return mine != null;
  }

  /**
   * Whether a release of this attempt concerns a grant.
   *
   * @param grant the grant
   * @param client who releases
   * @param attempt which attempt
   * @return true of the grant of exactly this attempt, and of a lock also of an earlier one
   */
  protected boolean ends(Grant grant, String client, long attempt) {
    return grant.client.equals(client)
        && (kind == GrantKind.LOCK ? grant.attempt <= attempt : grant.attempt == attempt);
  }

  /**
   * Ends an attempt on a lock and leaves its grant without a holder for a while.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param client the process
   * @param attempt the granted attempt
   * @param delayMicros time from now until the grant has expired
   * @return true if the attempt had a live grant
   */
  public boolean releaseAfter(long now, String client, long attempt, long delayMicros) {
    touch(now);
    Grant left = find(client, attempt);
    if (left == null) {
      return false;
    }
    over.add(now, client, attempt);
    Grant nobodys =
        new Grant(NOBODY, attempt, left.units, left.token, left.block, delayMicros, left.since);
    nobodys.expiresAt = now + delayMicros;
    grants.set(grants.indexOf(left), nobodys);
    return true;
  }

  /**
   * Ends the grant of a lock, of any holder, and uses a token above all tokens of that grant.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param token the grant that is to end, 0 for any
   * @param post carries messages that follow from the decision
   * @return what was ended; empty if the lock was free, or held with another token
   */
  public Optional<ForcedRelease> forceRelease(long now, long token, States.Post<LockMessage> post) {
    Grant ended = grants.isEmpty() ? null : grants.get(0);
    if (ended == null || (token != 0 && ended.token != token) || ended.end(now) <= now) {
      return Optional.empty();
    }
    touch(now);
    LockInfo.Holder shown = inspect(now).asLock().holder().orElseThrow();
    boolean somebodys = !ended.client.equals(NOBODY);
    if (somebodys) {
      over.add(now, ended.client, ended.attempt);
    }
    grants.remove(ended);
    fence = Math.min(nextToken(fence, now), MAX_TOKEN);
    ForcedRelease forced = new ForcedRelease(shown, fence);
    if (somebodys) {
      post.send(ended.client, new LockMessage(LockMessage.Kind.TAKEN, name));
    }
    handOver(now, null, post);
    return Optional.of(forced);
  }

  /**
   * Sets another capacity of a semaphore.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param units how many from now on
   * @param post carries messages that follow from the decision
   * @return how many before, zero if none was settled
   */
  public int resize(long now, int units, States.Post<LockMessage> post) {
    touch(now);
    int before = capacity;
    capacity = units;
    handOver(now, null, post);
    return before;
  }

  /**
   * Reads without a change.
   *
   * @param now the store's clock, microseconds since the epoch
   * @return holders, live waiters and last token
   */
  public PermitInfo inspect(long now) {
    List<PermitInfo.Holder> holders = new ArrayList<>();
    for (Grant grant : grants) {
      if (grant.expiresAt > now) {
        holders.add(grant.shown(now));
      }
    }
    List<PermitInfo.Waiter> waiters = new ArrayList<>();
    for (Ticket ticket : queue.tickets()) {
      if (ticket.isLive(now)) {
        waiters.add(
            new PermitInfo.Waiter(ticket.client(), ticket.attempt(), ticket.request().least()));
      }
    }
    return new PermitInfo(name, capacity, holders, waiters, fence);
  }

  /**
   * Whether no client may still need the state.
   *
   * @param now the store's clock, microseconds since the epoch
   * @return true if the state may be forgotten: the clock carries the token from here
   */
  public boolean isForgettable(long now) {
    return forgettableAt() <= now;
  }

  /** {@return the store's time from which the state may be dropped, unless it is used before} */
  public long forgettableAt() {
    long at = Math.max(fence, lastUse) + RETENTION_MICROS + 1;
    for (int i = 0; i < grants.size(); i++) {
      at = Math.max(at, grants.get(i).expiresAt);
    }
    return at;
  }

  /**
   * Begins each call that changes the state: removes expired entries.
   *
   * @param now the store's clock
   */
  protected void touch(long now) {
    lastUse = now;
    for (int i = grants.size() - 1; i >= 0; i--) {
      Grant grant = grants.get(i);
      grant.expiresAt = grant.end(now); // after a backward step of the clock
      if (grant.expiresAt <= now) {
        grants.remove(i);
      }
    }
  }

  private @Nullable Grant find(String client, long attempt) {
    for (int i = 0; i < grants.size(); i++) {
      if (grants.get(i).is(client, attempt)) {
        return grants.get(i);
      }
    }
    return null;
  }

  /**
   * Free units.
   *
   * @return units, below zero after the capacity was lowered
   */
  protected long free() {
    long out = 0;
    for (int i = 0; i < grants.size(); i++) {
      out += grants.get(i).units;
    }
    return capacity - out;
  }

  /**
   * Drops tickets at the head whose clients stopped polling.
   *
   * @param now the store's clock
   * @param alive a client that is certainly alive: it is asking
   */
  protected void dropDead(long now, @Nullable String alive) {
    for (Ticket head = queue.head();
        head != null && !head.client().equals(alive) && !head.isLive(now);
        head = queue.head()) {
      queue.remove(head.client());
    }
  }

  /**
   * Reserves free units for the tickets at the head that fit, and posts messages to their clients.
   *
   * @param now the store's clock
   * @param alive a client that is asking and takes what is its own by itself, or null
   * @param post carries the messages
   */
  protected void handOver(long now, @Nullable String alive, States.Post<LockMessage> post) {
    dropDead(now, alive);
    for (Ticket head = queue.head();
        head != null
            && !head.client().equals(alive)
            && free() >= head.request().least()
            && fence < MAX_TOKEN;
        head = queue.head()) {
      queue.remove(head.client());
      Grant next = grant(now, head.request());
      next.pending = true;
      next.expiresAt = now + CLAIM_MICROS;
      post.send(head.client(), new LockMessage(LockMessage.Kind.GRANTED, name));
      if (kind == GrantKind.LOCK) {
        return; // its one unit is out, so who is next is not looked at
      }
      dropDead(now, alive);
    }
  }

  /** Grants more than the least units only while no other ticket waits. */
  private Grant grant(long now, GrantRequest request) {
    long token = nextToken(fence, now);
    if (token > MAX_TOKEN) {
      throw new ForeignDataException(
          Names.quoted(name)
              + " has no fencing token left: the last one is "
              + fence
              + "; use another name",
          null);
    }
    int units = queue.size() == 0 ? (int) Math.min(request.most(), free()) : request.least();
    int block = blockOf(token, now, request.block());
    fence = token + block - 1;
    Grant grant =
        new Grant(
            request.client(), request.attempt(), units, token, block, request.ttlMicros(), now);
    grants.add(grant);
    return grant;
  }

  /** The number of tokens to reserve from this one on: at least one, with a bounded lead. */
  private static int blockOf(long token, long now, int wanted) {
    long room = Math.min(MAX_LEAD_MICROS - (token - now), MAX_TOKEN - token + 1);
    return (int) Math.max(1, Math.min(wanted, room));
  }

  /**
   * The first token of a grant.
   *
   * @param fence highest token so far
   * @param now the store's clock
   * @return the larger of the successor of the last token and the clock
   */
  protected long nextToken(long fence, long now) {
    return Math.max(fence + 1, now);
  }

  /**
   * Whether an attempt was ended before.
   *
   * @param now the store's clock
   * @param client the process
   * @param attempt the attempt
   * @return true if a late acquire of it must take nothing
   */
  protected boolean isOver(long now, String client, long attempt) {
    return over.covers(now, client, attempt);
  }
}
