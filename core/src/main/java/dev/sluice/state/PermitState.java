package dev.sluice.state;

import static dev.sluice.spi.LockProtocol.CLAIM_MICROS;
import static dev.sluice.spi.LockProtocol.HEARTBEAT_MICROS;
import static dev.sluice.spi.LockProtocol.MAX_TOKEN;
import static dev.sluice.spi.LockProtocol.RETENTION_MICROS;

import dev.sluice.lock.PermitInfo;
import dev.sluice.lock.TokenExhaustedException;
import dev.sluice.lock.WrongCapacityException;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.RenewReply;
import dev.sluice.state.LockState.Post;
import dev.sluice.text.Names;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One semaphore or read-write lock as its store sees it, and every decision about it: a function of
 * the state, the store's time and the request. No clock, no thread, no store in here; the caller
 * keeps the state and makes each call one atomic step. Not safe for use by several threads at once.
 */
public class PermitState {
  /*
   * Protocols P1, P3 and P4 of docs/protocols.md with units: a grant takes some of the capacity. A
   * read-write lock is a name of which a reader takes one unit and a writer all. What LockState
   * says must not be changed holds here too, and beyond it:
   *
   * - a client may hold several grants, so an attempt is compared exactly: the end of one says
   *   nothing of an earlier one that was granted;
   * - units go to the head of the queue or to nobody: a small request never passes a large one that
   *   came before, or the large one would starve;
   * - a grant's units never grow, so a repeated or late return changes nothing.
   *
   * Methods are open for tests that plant faults. The Redis scripts permit_*.lua are its only twin.
   */

  private static final int FORM = 1;

  /** A grant, taken up or still reserved for its ticket. */
  protected static final class Grant {
    /** Whose it is. */
    public final String client;

    /** Which attempt of the client was granted. */
    public final long attempt;

    final long token;
    final int block;
    final long since;

    /** What it takes of the capacity. */
    int units;

    long ttl;
    long expiresAt;

    /** Handed over, not yet taken up by its client. */
    boolean pending;

    /** The client was told, since its last renewal, that somebody waits. */
    boolean wanted;

    Grant(Key key, int units, long token, int block, long ttl, long now) {
      this.client = key.client;
      this.attempt = key.attempt;
      this.units = units;
      this.token = token;
      this.block = block;
      this.ttl = ttl;
      this.since = now;
      this.expiresAt = now + ttl;
    }

    void write(DataOutput out) throws IOException {
      out.writeUTF(client);
      out.writeLong(attempt);
      out.writeInt(units);
      out.writeLong(token);
      out.writeShort(block);
      out.writeLong(ttl);
      out.writeLong(since);
      out.writeLong(expiresAt);
      out.writeBoolean(pending);
      out.writeBoolean(wanted);
    }

    static Grant read(DataInput in) throws IOException {
      Key key = new Key(in.readUTF(), in.readLong());
      int units = in.readInt();
      long token = in.readLong();
      int block = in.readUnsignedShort();
      long ttl = in.readLong();
      Grant grant = new Grant(key, units, token, block, ttl, in.readLong());
      grant.expiresAt = in.readLong();
      grant.pending = in.readBoolean();
      grant.wanted = in.readBoolean();
      return grant;
    }

    /** When it ends at the latest, whatever the clock did. */
    long end(long now) {
      return Math.min(expiresAt, now + (pending ? CLAIM_MICROS : ttl));
    }
  }

  private record Key(String client, long attempt) {}

  private record Ticket(GrantRequest request, long deadAt) {
    String client() {
      return request.client();
    }

    /** What lies further ahead than a heartbeat was left there by a backward step of the clock. */
    boolean isLive(long now) {
      return deadAt > now && deadAt <= now + HEARTBEAT_MICROS;
    }
  }

  private final String name;

  /** Highest token ever given or reserved. */
  private long fence;

  /** Zero until somebody settles it. */
  private int capacity;

  private final Map<Key, Grant> grants = new LinkedHashMap<>();
  private final Tombstones over = new Tombstones();

  /** Tickets that go before all others, and the others; a client has one in all. */
  private final Map<String, Ticket> firsts = new LinkedHashMap<>();

  private final Map<String, Ticket> others = new LinkedHashMap<>();
  private long lastUse;

  /**
   * A name that nobody ever used.
   *
   * @param name the semaphore or read-write lock
   */
  public PermitState(String name) {
    this.name = name;
  }

  /**
   * Decides an acquire or a poll.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param request who asks, for what
   * @param post carries messages that follow from the decision
   * @return the answer
   * @throws WrongCapacityException if the name has another capacity; the ticket is gone
   * @throws TokenExhaustedException if no token is left
   */
  public GrantReply acquire(long now, GrantRequest request, Post post) {
    String client = request.client();
    Key key = new Key(client, request.attempt());
    touch(now);
    Grant mine = grants.get(key);
    if (mine != null) {
      return takeUp(now, mine, request);
    }
    Ticket earlier = ticket(client);
    if (isOver(now, client, request.attempt())
        || (earlier != null && earlier.request.attempt() > request.attempt())) {
      return new GrantReply.Over();
    }
    if (earlier != null && earlier.request.attempt() < request.attempt()) {
      dequeue(client);
    }
    settle(request);
    handOver(now, client, post);
    if (isNext(request) && fits(request.least())) {
      dequeue(client);
      return granted(now, grant(now, request));
    }
    return refuse(now, request, post);
  }

  private void settle(GrantRequest request) {
    if (capacity == 0) {
      capacity = request.capacity();
    } else if (capacity != request.capacity()) {
      dequeue(request.client());
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
        mine.token, mine.block, mine.expiresAt - now, waiting(), mine.units);
  }

  private GrantReply refuse(long now, GrantRequest request, Post post) {
    long remaining = grants.isEmpty() ? 0 : Long.MAX_VALUE;
    for (Grant grant : grants.values()) {
      remaining = Math.min(remaining, grant.expiresAt - now);
    }
    if (!request.queue()) {
      tellWanted(request.client(), false, post);
      return new GrantReply.Busy(remaining);
    }
    Map<String, Ticket> line = lineOf(request);
    line.put(request.client(), new Ticket(request, now + HEARTBEAT_MICROS)); // keeps its place
    int position = line == firsts ? 0 : firsts.size();
    for (String queued : line.keySet()) {
      if (queued.equals(request.client())) {
        break;
      }
      position++;
    }
    if (position == 0) {
      tellWanted(request.client(), true, post);
    }
    return new GrantReply.Queued(position, remaining);
  }

  /** The others who hold are told; those who were told before only when it is to be repeated. */
  private void tellWanted(String by, boolean again, Post post) {
    for (Grant grant : grants.values()) {
      if (!grant.pending && !grant.client.equals(by) && (again || !grant.wanted)) {
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
    Grant mine = grants.get(new Key(client, attempt));
    if (mine == null) {
      return new RenewReply.Gone();
    }
    mine.pending = false;
    mine.wanted = false; // the message may be lost: told again for the next who wants it
    mine.ttl = Math.max(mine.ttl, ttlMicros);
    mine.expiresAt = Math.max(mine.expiresAt, now + ttlMicros);
    dropDead(now, null);
    return new RenewReply.Renewed(mine.expiresAt - now, waiting());
  }

  /**
   * Ends an attempt, whether it holds units, waits for them, or never arrived; or gives back some
   * of its units.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param client the process
   * @param attempt the attempt
   * @param keep units that the grant keeps; zero ends the attempt
   * @param post carries messages that follow from the decision
   * @return true if the attempt had a live grant
   */
  public boolean release(long now, String client, long attempt, int keep, Post post) {
    touch(now);
    if (keep == 0) {
      over.add(now, client, attempt);
      Ticket ticket = ticket(client);
      if (ticket != null && ticket.request.attempt() <= attempt) {
        dequeue(client);
      }
    }
    Grant mine = find(client, attempt);
    if (mine != null) {
      mine.units = Math.min(mine.units, keep);
      if (keep == 0) {
        grants.remove(new Key(mine.client, mine.attempt));
      }
    }
    handOver(now, null, post);
    return mine != null;
  }

  /**
   * Finds the live grant that a release of this attempt is about.
   *
   * @param client who releases
   * @param attempt which attempt
   * @return the grant of exactly this attempt, or null
   */
  protected @Nullable Grant find(String client, long attempt) {
    return grants.get(new Key(client, attempt));
  }

  /**
   * Settles another capacity.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param units how many from now on
   * @param post carries messages that follow from the decision
   * @return how many before, zero if none was settled
   */
  public int resize(long now, int units, Post post) {
    touch(now);
    int before = capacity;
    capacity = units;
    handOver(now, null, post);
    return before;
  }

  /**
   * Looks, without changing anything.
   *
   * @param now the store's clock, microseconds since the epoch
   * @return holders, live waiters and last token
   */
  public PermitInfo inspect(long now) {
    List<PermitInfo.Holder> holders = new ArrayList<>();
    for (Grant grant : grants.values()) {
      if (grant.expiresAt > now) {
        holders.add(
            new PermitInfo.Holder(
                grant.client,
                grant.attempt,
                grant.units,
                grant.token,
                Instant.EPOCH.plus(grant.since, ChronoUnit.MICROS),
                Duration.of(grant.end(now) - now, ChronoUnit.MICROS)));
      }
    }
    List<PermitInfo.Waiter> waiters = new ArrayList<>();
    for (Map<String, Ticket> line : List.of(firsts, others)) {
      for (Ticket ticket : line.values()) {
        if (ticket.isLive(now)) {
          waiters.add(
              new PermitInfo.Waiter(
                  ticket.client(), ticket.request.attempt(), ticket.request.least()));
        }
      }
    }
    return new PermitInfo(name, capacity, holders, waiters, fence);
  }

  /**
   * Whether nothing is left that anyone may still need.
   *
   * @param now the store's clock, microseconds since the epoch
   * @return true if the state may be forgotten: the clock carries the token from here
   */
  public boolean isForgettable(long now) {
    return forgettableAt() <= now;
  }

  /** {@return the store's time from which nobody needs the state any more, if nobody asks until} */
  public long forgettableAt() {
    long at = Math.max(fence, lastUse) + RETENTION_MICROS + 1;
    for (Grant grant : grants.values()) {
      at = Math.max(at, grant.expiresAt);
    }
    return at;
  }

  /**
   * Until when what others do to the name is of interest to a client.
   *
   * @param client the process
   * @return the end of its grants and of its ticket by the store's clock; zero if it has none
   */
  public long concernedUntil(String client) {
    Ticket waits = ticket(client);
    long until = waits == null ? 0 : waits.deadAt;
    for (Grant grant : grants.values()) {
      until = grant.client.equals(client) ? Math.max(until, grant.expiresAt) : until;
    }
    return until;
  }

  /**
   * Whether a client can do nothing until it is told.
   *
   * @param client the process
   * @return true if it has a ticket
   */
  public boolean isWaiting(String client) {
    return ticket(client) != null;
  }

  /**
   * Tells a client again what it was told, for stores that carry no messages: there a client finds
   * them by looking. Changes nothing.
   *
   * @param client the process
   * @param post carries the messages
   */
  public void remind(String client, Post post) {
    for (Grant grant : grants.values()) {
      if (grant.client.equals(client) && (grant.pending || grant.wanted)) {
        LockMessage.Kind kind = grant.pending ? LockMessage.Kind.GRANTED : LockMessage.Kind.WANTED;
        post.send(client, new LockMessage(kind, name));
      }
    }
  }

  /**
   * Writes the state, so that {@link #read} goes on from here.
   *
   * @param out to where
   * @throws IOException if {@code out} fails
   */
  public void write(DataOutput out) throws IOException {
    out.writeByte(FORM);
    out.writeLong(fence);
    out.writeInt(capacity);
    out.writeLong(lastUse);
    out.writeInt(grants.size());
    for (Grant grant : grants.values()) {
      grant.write(out);
    }
    over.write(out);
    writeLine(out, firsts);
    writeLine(out, others);
  }

  private static void writeLine(DataOutput out, Map<String, Ticket> line) throws IOException {
    out.writeInt(line.size());
    for (Ticket ticket : line.values()) {
      GrantRequest request = ticket.request;
      out.writeUTF(request.client());
      out.writeLong(request.attempt());
      out.writeLong(request.ttlMicros());
      out.writeInt(request.least());
      out.writeInt(request.most());
      out.writeShort(request.block());
      out.writeLong(ticket.deadAt);
    }
  }

  /**
   * Reads a state.
   *
   * @param name the semaphore or read-write lock
   * @param in from where
   * @return the state
   * @throws IOException if {@code in} fails or ends too early
   * @throws dev.sluice.ForeignDataException if it is of another version
   */
  public static PermitState read(String name, DataInput in) throws IOException {
    StoredForm.expect(FORM, in);
    PermitState state = new PermitState(name);
    state.fence = in.readLong();
    state.capacity = in.readInt();
    state.lastUse = in.readLong();
    for (int left = StoredForm.count(in); left > 0; left--) {
      Grant grant = Grant.read(in);
      state.grants.put(new Key(grant.client, grant.attempt), grant);
    }
    state.over.read(in);
    state.readLine(in, true, state.firsts);
    state.readLine(in, false, state.others);
    return state;
  }

  private void readLine(DataInput in, boolean first, Map<String, Ticket> line) throws IOException {
    for (int left = StoredForm.count(in); left > 0; left--) {
      String client = in.readUTF();
      long attempt = in.readLong();
      long ttl = in.readLong();
      int least = in.readInt();
      int most = in.readInt();
      int block = in.readUnsignedShort();
      GrantRequest request =
          new GrantRequest(name, client, attempt, ttl, capacity, least, most, first, block, true);
      line.put(client, new Ticket(request, in.readLong()));
    }
  }

  /** Each call that changes something begins so: what ran out is gone. */
  private void touch(long now) {
    lastUse = now;
    for (Grant grant : grants.values()) { // after a backward step of the clock
      grant.expiresAt = grant.end(now);
    }
    grants.values().removeIf(grant -> grant.expiresAt <= now);
  }

  private boolean fits(int units) {
    return free() >= units;
  }

  /**
   * What nobody has.
   *
   * @return units, below zero after the capacity was lowered
   */
  protected long free() {
    long out = 0;
    for (Grant grant : grants.values()) {
      out += grant.units;
    }
    return capacity - out;
  }

  // ---- the queue ----

  private Map<String, Ticket> lineOf(GrantRequest request) {
    if (firsts.containsKey(request.client())) {
      return firsts;
    }
    return request.first() && !others.containsKey(request.client()) ? firsts : others;
  }

  private @Nullable Ticket ticket(String client) {
    Ticket first = firsts.get(client);
    return first != null ? first : others.get(client);
  }

  private void dequeue(String client) {
    firsts.remove(client);
    others.remove(client);
  }

  private int waiting() {
    return firsts.size() + others.size();
  }

  private @Nullable Ticket head() {
    Map<String, Ticket> line = firsts.isEmpty() ? others : firsts;
    return line.isEmpty() ? null : line.values().iterator().next();
  }

  /** Whether nobody comes before this request, queued or not. */
  private boolean isNext(GrantRequest request) {
    Ticket head = head();
    return head == null
        || head.client().equals(request.client())
        || (request.first() && firsts.isEmpty() && ticket(request.client()) == null);
  }

  /**
   * Drops tickets at the head whose clients stopped polling.
   *
   * @param now the store's clock
   * @param alive a client that is certainly alive: it is asking
   */
  protected void dropDead(long now, @Nullable String alive) {
    for (Ticket head = head();
        head != null && !head.client().equals(alive) && !head.isLive(now);
        head = head()) {
      dequeue(head.client());
    }
  }

  /**
   * Reserves free units for the tickets at the head that fit, and tells their clients.
   *
   * @param now the store's clock
   * @param alive a client that is asking and takes what is its own by itself, or null
   * @param post carries the messages
   */
  protected void handOver(long now, @Nullable String alive, Post post) {
    while (true) {
      dropDead(now, alive);
      Ticket head = head();
      if (head == null
          || head.client().equals(alive)
          || !fits(head.request.least())
          || fence >= MAX_TOKEN) {
        return;
      }
      dequeue(head.client());
      Grant next = grant(now, head.request);
      next.pending = true;
      next.expiresAt = now + CLAIM_MICROS;
      post.send(head.client(), new LockMessage(LockMessage.Kind.GRANTED, name));
    }
  }

  /** More than the least only while nobody else waits. */
  private Grant grant(long now, GrantRequest request) {
    long token = nextToken(fence, now);
    if (token > MAX_TOKEN) {
      throw new TokenExhaustedException(
          Names.quoted(name) + " has no fencing token left: the last one is " + fence);
    }
    int units = waiting() == 0 ? (int) Math.min(request.most(), free()) : request.least();
    int block = LockState.blockOf(token, now, request.block());
    fence = token + block - 1;
    Key key = new Key(request.client(), request.attempt());
    Grant grant = new Grant(key, units, token, block, request.ttlMicros(), now);
    grants.put(key, grant);
    return grant;
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
