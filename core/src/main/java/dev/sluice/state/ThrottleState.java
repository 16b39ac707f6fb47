package dev.sluice.state;

import dev.sluice.ForeignDataException;
import dev.sluice.limit.ThrottleReply;
import dev.sluice.spi.ThrottleRequest;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * GCRA as in redis-cell: the only state is the theoretical arrival time, and each call brings the
 * parameters, so a time far ahead is legal. Stored as text: microseconds, and where the rate leaves
 * a rest, {@code rest/scale} behind a blank.
 */
public final class ThrottleState {
  private static final long EARLIEST_TIME = 1_000_000_000_000_000L;
  private static final long LATEST_TIME = 1L << 53;

  private ThrottleState() {}

  /**
   * The text to store and the reply.
   *
   * @param stored the text to keep, or null for none
   * @param expiresAt the store's time from which the text means nothing, microseconds
   * @param reply the five values
   */
  public record Step(@Nullable String stored, long expiresAt, ThrottleReply reply) {}

  /**
   * Decides one call on the stored state.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param cell the text in ASCII, or none; changed accordingly
   * @param request the numbers
   * @return the answer
   * @throws ForeignDataException if Sluice did not write the text; nothing was changed
   */
  public static ThrottleReply decide(long now, LimitState.Cell cell, ThrottleRequest request) {
    byte[] kept = cell.bytes;
    String stored = kept == null ? null : new String(kept, StandardCharsets.US_ASCII);
    Step step = decide(now, stored, request);
    String next = step.stored;
    if (next == null || !next.equals(stored)) {
      cell.bytes = next == null ? null : next.getBytes(StandardCharsets.US_ASCII);
      cell.expiresAt = step.expiresAt;
    }
    return step.reply;
  }

  /**
   * Decides one call.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param stored the text that was kept, or null
   * @param request the numbers
   * @return what to keep, and the answer
   * @throws ForeignDataException if Sluice did not write the text
   */
  public static Step decide(long now, @Nullable String stored, ThrottleRequest request) {
    long scale = request.scale();
    long step = request.step();
    long full = request.limit() * step;
    // the level is kept in two parts, whole microseconds and a rest of the rate's own units, so
    // that a time far ahead, written at another rate, cannot overflow
    long ahead = 0;
    long rest = 0;
    if (stored != null) {
      int blank = stored.indexOf(' ');
      int slash = stored.indexOf('/', Math.max(0, blank));
      long arrival = number(stored, 0, blank < 0 ? stored.length() : blank, EARLIEST_TIME);
      if (blank >= 0) {
        rest = number(stored, blank + 1, slash, 1);
        if (number(stored, slash + 1, stored.length(), 1) != scale) {
          arrival++; // written at another rate
          rest = 0;
        }
      }
      ahead = arrival - now;
      if (ahead < 0) {
        ahead = 0;
        rest = 0;
      }
    }
    long quantity = request.quantity();
    boolean limited;
    boolean never = quantity > request.limit();
    long wait = 0;
    if (quantity < 0 && -(double) quantity * step >= (ahead + 1.0) * scale) {
      limited = false; // more than is spent
      ahead = 0;
      rest = 0;
    } else if (quantity < 0) {
      limited = false;
      long back = Math.min(-quantity, LATEST_TIME / step) * step;
      long borrowed = rest - back;
      long micros = Math.floorDiv(borrowed, scale);
      ahead += micros;
      rest = borrowed - micros * scale;
      if (ahead < 0) {
        ahead = 0;
        rest = 0;
      }
    } else {
      // over: how far the level would be above full with this quantity, in units; never negative
      long allowance = never ? 0 : full - quantity * step;
      long over = over(ahead, rest, allowance, scale);
      limited = never || over > 0;
      if (limited) {
        wait = over;
      } else {
        long units = rest + quantity * step;
        ahead += units / scale;
        rest = units % scale;
      }
    }
    long remaining = remaining(ahead, rest, full, scale, step);
    long reset = ahead + (rest > 0 ? 1 : 0);
    ThrottleReply reply =
        new ThrottleReply(
            limited ? 1 : 0,
            request.limit(),
            remaining,
            limited && !never ? Math.max(1, seconds(wait)) : -1,
            seconds(reset));
    String kept =
        reset == 0
            ? null
            : rest == 0 ? "" + (now + ahead) : (now + ahead) + " " + rest + "/" + scale;
    return new Step(limited || quantity == 0 ? stored : kept, now + reset, reply);
  }

  private static long number(String text, int from, int to, long least) {
    try {
      long value = Long.parseLong(text, from, to, 10);
      if (value >= least && value < LATEST_TIME && text.charAt(from) != '+') {
        return value;
      }
    } catch (IndexOutOfBoundsException | NumberFormatException e) {
      // the same as a number out of range
    }
    throw new ForeignDataException("holds text that Sluice did not write", null);
  }

  /**
   * The time until the level has drained to the allowance, in microseconds, rounded up; 0 if it
   * has.
   */
  private static long over(long ahead, long rest, long allowance, long scale) {
    long micros = allowance / scale;
    long units = allowance % scale;
    long over = ahead - micros + (rest > units ? 1 : 0);
    return Math.max(0, over);
  }

  private static long remaining(long ahead, long rest, long full, long scale, long step) {
    if (over(ahead, rest, full, scale) > 0) {
      return 0;
    }
    return (full - ahead * scale - rest) / step; // ahead <= full / scale: nothing overflows
  }

  private static long seconds(long micros) {
    return Meter.ceilDiv(micros, 1_000_000);
  }
}
