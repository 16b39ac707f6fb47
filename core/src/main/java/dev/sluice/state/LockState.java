package dev.sluice.state;

import static dev.sluice.spi.LockProtocol.CLAIM_MICROS;
import static dev.sluice.spi.LockProtocol.HEARTBEAT_MICROS;
import static dev.sluice.spi.LockProtocol.MAX_LEAD_MICROS;
import static dev.sluice.spi.LockProtocol.MAX_TOKEN;
import static dev.sluice.spi.LockProtocol.RETENTION_MICROS;

import dev.sluice.ForeignDataException;
import dev.sluice.lock.ForcedRelease;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.TokenExhaustedException;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.RenewReply;
import dev.sluice.text.Names;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One lock as its store sees it, and every decision about it: a function of the state, the store's
 * time and the request. No clock, no thread, no store in here; the caller keeps the state and makes
 * each call one atomic step. Not safe for use by several threads at once.
 */
public class LockState {
  /*
   * Protocols P1 (one store, tombstones, clock floor), P3 (blocks of tokens) and P4 (fair queue) of
   * docs/protocols.md, in one state. The Redis scripts are the only twin of this class:
   * stores/redis/src/main/resources/dev/sluice/redis/lua. What must not be changed, each proved necessary
   * by a counterexample:
   *
   * - release and renew compare the client and the attempt, not the client alone;
   * - release remembers that the attempt is over, so an acquire that arrives late takes nothing;
   * - a token is at least the store's clock, so tokens grow when the state was lost;
   * - every poll sweeps, and release hands over in the same step; a newcomer never passes a live
   *   ticket.
   *
   * Methods are open for tests that plant those faults.
   */

  /** How {@link LockRow#rest} is written. */
  private static final int REST_FORM = 1;

  /** Holds what was released with a delay. No client has this name. */
  static final String NOBODY = "-";

  /** Carries messages to clients; a lost message costs a poll. */
  @FunctionalInterface
  public interface Post {

    /**
     * Sends a hint.
     *
     * @param client to whom
     * @param message what
     */
    void send(String client, LockMessage message);
  }

  /** A grant, taken up or still reserved for its ticket. */
  protected static final class Holder {
    /** Whose it is. */
    public final String client;

    /** Which attempt of the client was granted. */
    public final long attempt;

    final long token;
    final int block;
    final long since;
    long ttl;
    long expiresAt;

    /** Handed over, not yet taken up by its client. */
    boolean pending;

    /** The client was told, since its last renewal, that somebody waits. */
    boolean wanted;

    Holder(String client, long attempt, long token, int block, long ttl, long now) {
      this.client = client;
      this.attempt = attempt;
      this.token = token;
      this.block = block;
      this.ttl = ttl;
      this.since = now;
      this.expiresAt = now + ttl;
    }

    boolean is(String client, long attempt) {
      return this.attempt == attempt && this.client.equals(client);
    }
  }

  private record Ticket(String client, long attempt, long ttl, int block, long deadAt) {
    /** What lies further ahead than a heartbeat was left there by a backward step of the clock. */
    boolean isLive(long now) {
      return deadAt > now && deadAt <= now + HEARTBEAT_MICROS;
    }
  }

  private final String name;

  /** Highest token ever given or reserved. */
  private long fence;

  /** The grant, or null; may have expired. */
  protected @Nullable Holder holder;

  private final Tombstones over = new Tombstones();
  private final Map<String, Ticket> queue = new LinkedHashMap<>();
  private long lastUse;

  /**
   * A lock that nobody ever held.
   *
   * @param name the lock
   */
  public LockState(String name) {
    this.name = name;
  }

  /**
   * Decides an acquire or a poll.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param request who asks, for what
   * @param post carries messages that follow from the decision
   * @return the answer
   * @throws TokenExhaustedException if no token is left
   */
  public GrantReply acquire(long now, GrantRequest request, Post post) {
    String client = request.client();
    long attempt = request.attempt();
    if (isOver(now, client, attempt)) {
      return new GrantReply.Over();
    }
    lastUse = now;
    clampToClock(now);
    expire(now);
    Ticket earlier = queue.get(client);
    if ((holder != null && holder.client.equals(client) && holder.attempt > attempt)
        || (earlier != null && earlier.attempt > attempt)) {
      return new GrantReply.Over();
    }
    if (holder != null && holder.client.equals(client)) {
      if (holder.attempt == attempt) {
        return takeUp(now, holder, request);
      }
      over.add(now, client, holder.attempt);
      holder = null;
    }
    if (earlier != null && earlier.attempt < attempt) {
      queue.remove(client);
    }
    dropDead(now, client);
    if (holder == null) {
      Ticket head = head();
      if (head == null || head.client.equals(client)) {
        queue.remove(client);
        holder = grant(now, client, attempt, request.ttlMicros(), request.block());
        return granted(now, holder);
      }
      handOver(now, post);
    }
    return refuse(now, request, post);
  }

  private GrantReply takeUp(long now, Holder mine, GrantRequest request) {
    if (mine.pending) {
      mine.pending = false;
      mine.ttl = request.ttlMicros();
      mine.expiresAt = now + mine.ttl;
    }
    return granted(now, mine);
  }

  private GrantReply granted(long now, Holder mine) {
    return new GrantReply.Granted(mine.token, mine.block, mine.expiresAt - now, queue.size());
  }

  private GrantReply refuse(long now, GrantRequest request, Post post) {
    long remaining = holder == null ? 0 : holder.expiresAt - now;
    if (!request.queue()) {
      if (holder != null && !holder.pending && !holder.wanted) {
        tellWanted(post, holder);
      }
      return new GrantReply.Busy(remaining);
    }
    Ticket ticket =
        new Ticket(
            request.client(),
            request.attempt(),
            request.ttlMicros(),
            request.block(),
            now + HEARTBEAT_MICROS);
    queue.put(request.client(), ticket); // keeps its place if it is queued
    int position = positionOf(request.client());
    if (position == 0 && holder != null && !holder.pending) {
      tellWanted(post, holder);
    }
    return new GrantReply.Queued(position, remaining);
  }

  private void tellWanted(Post post, Holder to) {
    if (to.client.equals(NOBODY)) {
      return;
    }
    to.wanted = true;
    post.send(to.client, new LockMessage(LockMessage.Kind.WANTED, name));
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
    lastUse = now;
    clampToClock(now);
    if (holder == null || !holder.is(client, attempt) || holder.expiresAt <= now) {
      return new RenewReply.Gone();
    }
    holder.pending = false;
    holder.wanted = false; // the message may be lost: told again for the next who wants it
    holder.ttl = Math.max(holder.ttl, ttlMicros);
    holder.expiresAt = Math.max(holder.expiresAt, now + ttlMicros);
    dropDead(now, null);
    return new RenewReply.Renewed(holder.expiresAt - now, queue.size());
  }

  /**
   * Ends an attempt, whether it holds the lock, waits for it, or never arrived.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param client the process
   * @param attempt the attempt that is over
   * @param post carries messages that follow from the decision
   * @return true if a live grant was freed
   */
  public boolean release(long now, String client, long attempt, Post post) {
    lastUse = now;
    clampToClock(now);
    over.add(now, client, attempt);
    Ticket ticket = queue.get(client);
    if (ticket != null && ticket.attempt <= attempt) {
      queue.remove(client);
    }
    boolean freed = false;
    if (holder != null && frees(holder, client, attempt)) {
      freed = holder.expiresAt > now;
      holder = null;
    }
    expire(now);
    if (holder == null) {
      handOver(now, post);
    }
    return freed;
  }

  /**
   * Ends an attempt and leaves its grant to nobody for a while.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param client the process
   * @param attempt the granted attempt
   * @param delayMicros time from now until the grant has expired
   * @return true if the attempt had a live grant
   */
  public boolean releaseAfter(long now, String client, long attempt, long delayMicros) {
    lastUse = now;
    clampToClock(now);
    Holder left = holder;
    if (left == null || !left.is(client, attempt) || left.expiresAt <= now) {
      return false;
    }
    over.add(now, client, attempt);
    holder = new Holder(NOBODY, attempt, left.token, left.block, delayMicros, left.since);
    holder.expiresAt = now + delayMicros;
    return true;
  }

  /**
   * Whether a release of this attempt frees the grant.
   *
   * @param grant the grant
   * @param client who releases
   * @param attempt which attempt
   * @return true if it is the same attempt, or a later one of the same client
   */
  protected boolean frees(Holder grant, String client, long attempt) {
    return grant.client.equals(client) && grant.attempt <= attempt;
  }

  /**
   * Ends the grant, whoever holds it, and spends a token above all of its own.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param token the grant that is to end, 0 for any
   * @param post carries messages that follow from the decision
   * @return what was ended, empty when nobody held the lock, or with another token
   */
  public Optional<ForcedRelease> forceRelease(long now, long token, Post post) {
    if (token != 0 && holder != null && holder.token != token) {
      return Optional.empty(); // before the clock is looked at: nothing is to change
    }
    clampToClock(now);
    Holder ended = holder;
    if (ended == null || ended.expiresAt <= now) {
      return Optional.empty();
    }
    lastUse = now;
    boolean somebodys = !ended.client.equals(NOBODY);
    if (somebodys) {
      over.add(now, ended.client, ended.attempt);
    }
    holder = null;
    fence = Math.min(nextToken(fence, now), MAX_TOKEN);
    ForcedRelease forced = new ForcedRelease(shown(ended, now), fence);
    if (somebodys) {
      post.send(ended.client, new LockMessage(LockMessage.Kind.TAKEN, name));
    }
    handOver(now, post);
    return Optional.of(forced);
  }

  /**
   * Looks, without changing anything.
   *
   * @param now the store's clock, microseconds since the epoch
   * @return holder, live waiters and last token
   */
  public LockInfo inspect(long now) {
    Optional<LockInfo.Holder> shown = Optional.empty();
    if (holder != null && holder.expiresAt > now) {
      shown = Optional.of(shown(holder, now));
    }
    List<LockInfo.Waiter> waiters = new ArrayList<>();
    for (Ticket ticket : queue.values()) {
      if (ticket.isLive(now)) {
        waiters.add(new LockInfo.Waiter(ticket.client, ticket.attempt));
      }
    }
    return new LockInfo(name, shown, waiters, fence);
  }

  private static LockInfo.Holder shown(Holder grant, long now) {
    return new LockInfo.Holder(
        grant.client,
        grant.attempt,
        grant.token,
        Instant.EPOCH.plus(grant.since, ChronoUnit.MICROS),
        Duration.of(clamped(grant, now) - now, ChronoUnit.MICROS));
  }

  /**
   * Whether nothing is left that anyone may still need.
   *
   * @param now the store's clock, microseconds since the epoch
   * @return true if the state may be forgotten: the clock carries the token from here
   */
  public boolean isForgettable(long now) {
    return now - Math.max(fence, lastUse) > RETENTION_MICROS
        && (holder == null || holder.expiresAt <= now);
  }

  /**
   * The state for a store of tables.
   *
   * @return all that {@link #restore} needs
   */
  public LockRow row() {
    Holder held = holder;
    LockRow.Grant grant =
        held == null
            ? null
            : new LockRow.Grant(
                held.client,
                held.attempt,
                held.token,
                held.block,
                held.ttl,
                held.since,
                held.expiresAt,
                held.pending,
                held.wanted);
    byte[] rest = over.size() < 2 && queue.isEmpty() ? null : rest();
    return new LockRow(fence, lastUse, grant, over.newest(), queue.size(), rest);
  }

  private byte[] rest() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
    try {
      DataOutputStream out = new DataOutputStream(bytes);
      out.writeByte(REST_FORM);
      over.writeOlder(out);
      out.writeInt(queue.size());
      for (Ticket ticket : queue.values()) {
        out.writeUTF(ticket.client);
        out.writeLong(ticket.attempt);
        out.writeLong(ticket.ttl);
        out.writeInt(ticket.block);
        out.writeLong(ticket.deadAt);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e); // bytes in memory do not fail
    }
    return bytes.toByteArray();
  }

  /**
   * Makes a fresh state what it was: every later decision is the same.
   *
   * @param row what {@link #row} gave
   * @throws ForeignDataException if its rest was not written by Sluice, or by a version of another
   *     form
   */
  public void restore(LockRow row) {
    fence = row.fence();
    lastUse = row.lastUse();
    LockRow.Grant grant = row.grant();
    if (grant != null) {
      Holder held =
          new Holder(
              grant.client(),
              grant.attempt(),
              grant.token(),
              grant.block(),
              grant.ttl(),
              grant.since());
      held.expiresAt = grant.expiresAt();
      held.pending = grant.pending();
      held.wanted = grant.wanted();
      holder = held;
    }
    byte[] rest = row.rest();
    if (rest != null) {
      readRest(rest);
    }
    LockRow.Over newest = row.over();
    if (newest != null) {
      over.put(newest);
    }
  }

  private void readRest(byte[] rest) {
    ByteArrayInputStream bytes = new ByteArrayInputStream(rest);
    try {
      DataInputStream in = new DataInputStream(bytes);
      int form = in.readUnsignedByte();
      if (form != REST_FORM) {
        throw new ForeignDataException(
            "lock "
                + Names.quoted(name)
                + " is kept in form "
                + form
                + ", and this Sluice reads form 1",
            null);
      }
      over.read(in);
      for (int left = in.readInt(); left > 0; left--) {
        Ticket ticket =
            new Ticket(in.readUTF(), in.readLong(), in.readLong(), in.readInt(), in.readLong());
        queue.put(ticket.client, ticket);
      }
    } catch (IOException e) {
      throw new ForeignDataException(
          "lock "
              + Names.quoted(name)
              + " holds "
              + rest.length
              + " bytes that Sluice did not write",
          e);
    }
    if (bytes.available() > 0) {
      throw new ForeignDataException(
          "lock " + Names.quoted(name) + " holds " + bytes.available() + " bytes too many", null);
    }
  }

  /** After a backward step of the clock nothing lasts longer than it was given. */
  private void clampToClock(long now) {
    if (holder != null) {
      holder.expiresAt = clamped(holder, now);
    }
  }

  private static long clamped(Holder grant, long now) {
    return Math.min(grant.expiresAt, now + (grant.pending ? CLAIM_MICROS : grant.ttl));
  }

  private void expire(long now) {
    if (holder != null && holder.expiresAt <= now) {
      holder = null;
    }
  }

  /**
   * Drops tickets at the head whose clients stopped polling.
   *
   * @param now the store's clock
   * @param alive a client that is certainly alive: it is asking
   */
  protected void dropDead(long now, @Nullable String alive) {
    Iterator<Ticket> tickets = queue.values().iterator();
    while (tickets.hasNext()) {
      Ticket ticket = tickets.next();
      boolean live = ticket.client.equals(alive) || ticket.isLive(now);
      if (live) {
        return;
      }
      tickets.remove();
    }
  }

  private @Nullable Ticket head() {
    Iterator<Ticket> tickets = queue.values().iterator();
    return tickets.hasNext() ? tickets.next() : null;
  }

  private int positionOf(String client) {
    int position = 0;
    for (String queued : queue.keySet()) {
      if (queued.equals(client)) {
        break;
      }
      position++;
    }
    return position;
  }

  /**
   * Reserves a free lock for the first live ticket and tells its client.
   *
   * @param now the store's clock
   * @param post carries the message
   */
  protected void handOver(long now, Post post) {
    dropDead(now, null);
    Ticket head = head();
    if (head == null || fence >= MAX_TOKEN) {
      return;
    }
    queue.remove(head.client);
    Holder next = grant(now, head.client, head.attempt, head.ttl, head.block);
    next.pending = true;
    next.expiresAt = now + CLAIM_MICROS;
    holder = next;
    post.send(head.client, new LockMessage(LockMessage.Kind.GRANTED, name));
  }

  private Holder grant(long now, String client, long attempt, long ttl, int block) {
    long token = nextToken(fence, now);
    if (token > MAX_TOKEN) {
      throw new TokenExhaustedException(
          Names.quoted(name) + " has no fencing token left: the last one is " + fence);
    }
    int given = blockOf(token, now, block);
    fence = token + given - 1;
    return new Holder(client, attempt, token, given, ttl, now);
  }

  /** How many tokens may be reserved from this one on: at least one, in bounded lead. */
  static int blockOf(long token, long now, int wanted) {
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
