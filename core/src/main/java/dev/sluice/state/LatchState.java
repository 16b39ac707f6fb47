package dev.sluice.state;

import dev.sluice.spi.LatchBackend;
import dev.sluice.spi.LatchReply;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * One count-down latch as its store sees it, and every decision about it: a function of the state,
 * the store's time and the request. The Redis scripts are its only twin. Not thread-safe.
 */
public class LatchState {

  /** The poll interval of a waiting client without messages: one second. */
  public static final long POLL_MICROS = 1_000_000;

  /** The time without a poll after which a waiting client is not notified: 3 s. */
  public static final long WAITER_MICROS = 3_000_000;

  /** The time for which an open latch and each client's last request are kept: 60 s. */
  public static final long RETENTION_MICROS = 60_000_000;

  private static final int FORM = 1;

  /** The last request of a client; it and all lower numbers have no further effect. */
  private record Over(long number, long at) {}

  private long count;
  private long round;
  private long opened;
  private long keep;
  private long expiresAt;
  private String setter = "-";
  private long setterNumber;
  private final Map<String, Over> over = new LinkedHashMap<>();
  private final Map<String, Long> waiters = new LinkedHashMap<>();

  /** A latch that was never set. */
  public LatchState() {}

  /**
   * Decides {@link LatchBackend#trySet}.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param client the process
   * @param number of the request
   * @param count at least 1
   * @param keepMicros how long the latch is kept after its last use
   * @return whether this request set the count
   */
  public boolean trySet(long now, String client, long number, long count, long keepMicros) {
    expire(now);
    if (isOver(client, number)) {
      return setter.equals(client) && setterNumber == number;
    }
    if (round == 0) {
      expiresAt = now + RETENTION_MICROS;
    }
    over.put(client, new Over(number, now));
    if (this.count > 0) {
      return false; // repeated attempts do not keep a dead latch
    }
    over.values().removeIf(last -> now - last.at >= RETENTION_MICROS);
    waiters.clear();
    round = Math.max(round + 1, now);
    this.count = count;
    keep = keepMicros;
    setter = client;
    setterNumber = number;
    expiresAt = now + keep;
    return true;
  }

  /**
   * Decides {@link LatchBackend#countDown}.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param client the process
   * @param number of the request
   * @param by at least 1
   * @param post carries the message that the latch is open
   * @return the count afterwards
   */
  public long countDown(long now, String client, long number, long by, Consumer<String> post) {
    expire(now);
    if (!isOver(client, number)) {
      over.put(client, new Over(number, now));
      if (count > 0) {
        count = Math.max(0, count - by);
        if (count == 0) {
          opened = round;
          notifyWaiters(now, post);
        }
      }
      expiresAt = now + lasts();
    }
    return count;
  }

  /**
   * Decides {@link LatchBackend#look}.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param waiter a client that is to be told, or empty
   * @return what is known
   */
  public LatchReply look(long now, String waiter) {
    if (Math.min(expiresAt, now + lasts()) <= now) {
      return new LatchReply(0, 0, 0);
    }
    if (!waiter.isEmpty() && count > 0) {
      waiters.values().removeIf(deadAt -> deadAt <= now);
      waiters.put(waiter, now + WAITER_MICROS);
      expiresAt = now + keep;
    }
    return new LatchReply(count, round, opened);
  }

  /**
   * Whether an earlier request, or this one, was executed.
   *
   * @param client who asks
   * @param number of the request
   * @return true if it has no effect any more
   */
  protected boolean isOver(String client, long number) {
    Over last = over.get(client);
    return last != null && last.number >= number;
  }

  private void notifyWaiters(long now, Consumer<String> post) {
    waiters.entrySet().stream()
        .filter(waiter -> waiter.getValue() > now && waiter.getValue() <= now + WAITER_MICROS)
        .sorted(
            Comparator.comparing((Map.Entry<String, Long> waiter) -> waiter.getValue())
                .thenComparing(Map.Entry::getKey))
        .forEach(waiter -> post.accept(waiter.getKey()));
    waiters.clear();
  }

  private long lasts() {
    return count > 0 ? keep : RETENTION_MICROS;
  }

  /** Limits all remaining times after a backward step of the clock. */
  private void expire(long now) {
    expiresAt = Math.min(expiresAt, now + lasts());
    if (isForgettable(now)) {
      count = 0;
      round = 0;
      opened = 0;
      setter = "-";
      setterNumber = 0;
      over.clear();
      waiters.clear();
    }
  }

  /**
   * Whether no client may still need the state.
   *
   * @param now the store's clock, microseconds since the epoch
   * @return true if the state may be forgotten
   */
  public boolean isForgettable(long now) {
    return forgettableAt() <= now;
  }

  /** {@return the store's time from which the state may be dropped, unless it is used before} */
  public long forgettableAt() {
    return expiresAt;
  }

  /**
   * The time until which a client is notified of the opening of the latch.
   *
   * @param client the process
   * @return a moment of the store's clock; zero if it does not wait
   */
  public long concernedUntil(String client) {
    return waiters.getOrDefault(client, 0L);
  }

  /** {@return whether the waiters may continue} */
  public boolean isOpen() {
    return count == 0;
  }

  /**
   * Writes the state in the format of {@link #read}.
   *
   * @param out to where
   * @throws IOException if {@code out} fails
   */
  public void write(DataOutput out) throws IOException {
    out.writeByte(FORM);
    out.writeLong(count);
    out.writeLong(round);
    out.writeLong(opened);
    out.writeLong(keep);
    out.writeLong(expiresAt);
    out.writeUTF(setter);
    out.writeLong(setterNumber);
    out.writeInt(over.size());
    for (Map.Entry<String, Over> each : over.entrySet()) {
      out.writeUTF(each.getKey());
      out.writeLong(each.getValue().number);
      out.writeLong(each.getValue().at);
    }
    out.writeInt(waiters.size());
    for (Map.Entry<String, Long> each : waiters.entrySet()) {
      out.writeUTF(each.getKey());
      out.writeLong(each.getValue());
    }
  }

  /**
   * Reads a state.
   *
   * @param in from where
   * @return the state
   * @throws IOException if {@code in} fails or ends too early
   * @throws dev.sluice.ForeignDataException if it is of another version
   */
  public static LatchState read(DataInput in) throws IOException {
    StoredForm.expect(FORM, in);
    LatchState state = new LatchState();
    state.count = in.readLong();
    state.round = in.readLong();
    state.opened = in.readLong();
    state.keep = in.readLong();
    state.expiresAt = in.readLong();
    state.setter = in.readUTF();
    state.setterNumber = in.readLong();
    for (int left = StoredForm.count(in); left > 0; left--) {
      String client = in.readUTF();
      state.over.put(client, new Over(in.readLong(), in.readLong()));
    }
    for (int left = StoredForm.count(in); left > 0; left--) {
      state.waiters.put(in.readUTF(), in.readLong());
    }
    return state;
  }
}
