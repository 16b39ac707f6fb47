package dev.sluice.state;

import dev.sluice.spi.QueueReply;
import dev.sluice.spi.QueueRequest;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The leaky bucket as a queue: the order and times of callers. Turns are spaced by the interval and
 * handed out in the order of arrival; a caller who leaves makes room, and those behind move up one
 * after the other, each when it asks to. Not thread-safe.
 *
 * <p>A caller is moved only in answer to its own request, because a message may be lost: if it were
 * moved without knowing, it would pass at its old time, which by then belongs to another caller.
 */
public final class QueueState {

  /** Sends a process the message that one of its callers may move forward. */
  @FunctionalInterface
  public interface Post {

    /**
     * Sends a hint.
     *
     * @param client to whom
     * @param ticket which caller
     */
    void send(String client, long ticket);
  }

  private static final int FORM = 1;

  private record Turn(String client, long ticket, long lasts) {
    boolean is(QueueRequest request) {
      return ticket == request.ticket() && client.equals(request.client());
    }
  }

  /** The future reserved times of the queue. */
  private final TreeMap<Long, Turn> turns = new TreeMap<>();

  /** The end of the last reserved time that has come. */
  private long free;

  private long stamp;

  /** An empty queue. */
  public QueueState() {}

  /**
   * Decides on a caller's entry and its time.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param request who, how
   * @return the time until the turn, or a refusal
   */
  public QueueReply enter(long now, QueueRequest request) {
    int steps = settle(now);
    long wait = Math.max(0, end() - now);
    boolean full = wait > 0 && turns.size() >= request.places();
    if (request.cost() == 0) {
      return reply(true, 0, now, steps);
    }
    if (full || wait > request.maxWaitMicros()) {
      long place = !full ? 0 : turns.isEmpty() ? wait : turns.firstKey() - now;
      long retry = Math.max(place, wait - request.maxWaitMicros());
      return reply(false, retry, now, steps);
    }
    long lasts = request.cost() * request.intervalMicros();
    if (wait == 0) {
      free = now + lasts;
    } else {
      turns.put(now + wait, new Turn(request.client(), request.ticket(), lasts));
    }
    return reply(true, wait, now, steps);
  }

  /**
   * Moves a caller forward to the end of the reserved time before it.
   *
   * @param now the store's clock
   * @param request the request that entered
   * @param post carries the message to the caller behind it
   * @return the time that is left; not admitted if the turn has come already
   */
  public QueueReply advance(long now, QueueRequest request, Post post) {
    int steps = settle(now);
    Long at = timeOf(request);
    if (at == null) {
      return reply(false, 0, now, steps);
    }
    Map.Entry<Long, Turn> before = turns.lowerEntry(at);
    long earliest = Math.max(now, before == null ? free : endOf(before));
    if (earliest < at) {
      Turn turn = turns.remove(at);
      if (turn != null) {
        turns.put(earliest, turn);
      }
      notifyNext(earliest, post);
      settle(now); // it may be its turn
    }
    return reply(true, Math.min(at, earliest) - now, now, steps);
  }

  /**
   * Removes a caller from the queue.
   *
   * @param now the store's clock
   * @param request the request that entered
   * @param post carries the message to the caller behind it
   * @return true if the turn had not come yet
   */
  public boolean leave(long now, QueueRequest request, Post post) {
    settle(now);
    Long at = timeOf(request);
    if (at == null) {
      return false;
    }
    turns.remove(at);
    notifyNext(at, post);
    return true;
  }

  /**
   * Whether the queue is empty and the next caller passes immediately.
   *
   * @param now the store's clock
   * @return true if the queue may be forgotten
   */
  public boolean isForgettable(long now) {
    settle(now);
    return end() <= now;
  }

  /**
   * {@return the store's time from which the queue may be dropped, unless a caller enters before}
   */
  public long forgettableAt() {
    return end();
  }

  /**
   * The time until which the queue concerns a client.
   *
   * @param client the process
   * @return the last turn of its callers by the store's clock; zero if it has none
   */
  public long concernedUntil(String client) {
    long until = 0;
    for (Map.Entry<Long, Turn> each : turns.entrySet()) {
      until = each.getValue().client.equals(client) ? each.getKey() : until;
    }
    return until;
  }

  /**
   * Notifies a client of callers that may move forward, for stores without messages, where a client
   * polls for them. Changes nothing.
   *
   * @param client the process
   * @param post carries the messages
   */
  public void remind(String client, Post post) {
    long earliest = free;
    for (Map.Entry<Long, Turn> each : turns.entrySet()) {
      Turn turn = each.getValue();
      if (earliest < each.getKey() && turn.client.equals(client)) {
        post.send(client, turn.ticket);
      }
      earliest = endOf(each);
    }
  }

  /**
   * Writes the queue in the format of {@link #read}.
   *
   * @param out to where
   * @throws IOException if {@code out} fails
   */
  public void write(DataOutput out) throws IOException {
    out.writeByte(FORM);
    out.writeLong(free);
    out.writeLong(stamp);
    out.writeInt(turns.size());
    for (Map.Entry<Long, Turn> each : turns.entrySet()) {
      Turn turn = each.getValue();
      out.writeLong(each.getKey());
      out.writeUTF(turn.client);
      out.writeLong(turn.ticket);
      out.writeLong(turn.lasts);
    }
  }

  /**
   * Reads a queue.
   *
   * @param in from where
   * @return the queue
   * @throws IOException if {@code in} fails or ends too early
   * @throws dev.sluice.ForeignDataException if it is of another version
   */
  public static QueueState read(DataInput in) throws IOException {
    StoredForm.expect(FORM, in);
    QueueState state = new QueueState();
    state.free = in.readLong();
    state.stamp = in.readLong();
    for (int left = StoredForm.count(in); left > 0; left--) {
      long at = in.readLong();
      state.turns.put(at, new Turn(in.readUTF(), in.readLong(), in.readLong()));
    }
    return state;
  }

  private QueueReply reply(boolean admitted, long wait, long now, int steps) {
    return new QueueReply(admitted, wait, turns.size(), Math.max(0, end() - now), steps);
  }

  /** Drops past reservations; after a backward clock step, shifts all times back with it. */
  private int settle(long now) {
    int steps = 0;
    if (stamp > now) {
      long by = stamp - now;
      TreeMap<Long, Turn> moved = new TreeMap<>();
      turns.forEach((at, turn) -> moved.put(at - by, turn));
      turns.clear();
      turns.putAll(moved);
      free -= by;
      steps = 1;
    }
    stamp = now;
    Iterator<Map.Entry<Long, Turn>> earliest = turns.entrySet().iterator();
    while (earliest.hasNext()) {
      Map.Entry<Long, Turn> turn = earliest.next();
      if (turn.getKey() > now) {
        break;
      }
      free = endOf(turn);
      earliest.remove();
    }
    return steps;
  }

  private long end() {
    return turns.isEmpty() ? free : endOf(turns.lastEntry());
  }

  private static long endOf(Map.Entry<Long, Turn> turn) {
    return turn.getKey() + turn.getValue().lasts;
  }

  private @Nullable Long timeOf(QueueRequest request) {
    for (Map.Entry<Long, Turn> turn : turns.entrySet()) {
      if (turn.getValue().is(request)) {
        return turn.getKey();
      }
    }
    return null;
  }

  private void notifyNext(long at, Post post) {
    Map.Entry<Long, Turn> next = turns.higherEntry(at);
    if (next != null) {
      post.send(next.getValue().client, next.getValue().ticket);
    }
  }
}
