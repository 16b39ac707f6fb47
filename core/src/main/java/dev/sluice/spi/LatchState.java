package dev.sluice.spi;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * One count-down latch as its store sees it, and every decision about it: a function of the state,
 * the store's time and the request. The Redis scripts are its only twin. Not safe for use by
 * several threads at once.
 */
public class LatchState {

  /** How often a waiting client looks without any message: every second. */
  public static final long POLL_MICROS = 1_000_000;

  /** A waiting client that has not looked for this long is not told: 3 s. */
  public static final long WAITER_MICROS = 3_000_000;

  /** How long an open latch, and the last request of each client, are remembered: 60 s. */
  public static final long RETENTION_MICROS = 60_000_000;

  /** The last request of a client: it and all below it have no effect any more. */
  private record Over(long number, long at) {}

  private long count;
  private long round;
  private long opened;
  private long keep;
  private long expiresAt;
  private String setter = "-";
  private long setterNumber;
  private final Map<String, Over> over = new HashMap<>();
  private final Map<String, Long> waiters = new HashMap<>();

  /** A latch that nobody ever set. */
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
      return false; // one who tries again and again does not keep a dead latch
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
   * @param post tells a client that the latch is open
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
          tell(now, post);
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
   * Whether an earlier request, or this one, was carried out.
   *
   * @param client who asks
   * @param number of the request
   * @return true if it has no effect any more
   */
  protected boolean isOver(String client, long number) {
    Over last = over.get(client);
    return last != null && last.number >= number;
  }

  private void tell(long now, Consumer<String> post) {
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

  /** After a backward step of the clock nothing lasts longer than it was given. */
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
   * Whether nothing is left that anyone may still need.
   *
   * @param now the store's clock, microseconds since the epoch
   * @return true if the state may be forgotten
   */
  public boolean isForgettable(long now) {
    return expiresAt <= now;
  }
}
