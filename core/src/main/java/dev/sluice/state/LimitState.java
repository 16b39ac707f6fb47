package dev.sluice.state;

import dev.sluice.ForeignDataException;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.LimitRule;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Every decision about rate limits: a function of what is stored, the store's time and the request.
 * No clock, no thread, no store in here; the caller keeps the cells and makes each call one atomic
 * step. The Redis scripts are the twin of this class.
 */
public final class LimitState {
  /** What a caller is told to wait whose cost is above the capacity in force: not to spin. */
  private static final long NEVER_PASSES_MICROS = 1_000_000;

  private static final int FORM = 1;

  /** Far above the longest log. */
  private static final int MAX_BYTES = 1 << 24;

  private LimitState() {}

  /**
   * What a store keeps for one tier of one key, or for one key of {@link ThrottleState}. Not safe
   * for use by several threads at once.
   */
  public static final class Cell {
    /** The bytes, or null where nothing counts as spent. */
    public byte @Nullable [] bytes;

    /** The store's time from which nothing counts as spent; what is older may be forgotten. */
    public long expiresAt;

    /** An empty cell. */
    public Cell() {}

    /** {@return the store's time from which the cell may be forgotten, if nobody asks until} */
    public long forgettableAt() {
      return bytes == null ? 0 : expiresAt;
    }

    /**
     * Writes the cell, so that {@link #read} goes on from here.
     *
     * @param out to where
     * @throws IOException if {@code out} fails
     */
    public void write(DataOutput out) throws IOException {
      out.writeByte(FORM);
      out.writeLong(expiresAt);
      out.writeInt(bytes == null ? 0 : bytes.length); // none is never written as no bytes
      if (bytes != null) {
        out.write(bytes);
      }
    }

    /**
     * Reads a cell. What its bytes mean is not looked at before a decision.
     *
     * @param in from where
     * @return the cell
     * @throws IOException if {@code in} fails or ends too early
     * @throws ForeignDataException if it is of another version
     */
    public static Cell read(DataInput in) throws IOException {
      StoredForm.expect(FORM, in);
      Cell cell = new Cell();
      cell.expiresAt = in.readLong();
      int size = StoredForm.count(in);
      if (size > MAX_BYTES) {
        throw new ForeignDataException("holds a count of " + size + " bytes", null);
      }
      if (size > 0) {
        cell.bytes = new byte[size];
        in.readFully(cell.bytes);
      }
      return cell;
    }
  }

  /**
   * Decides one request: in every tier or in none.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param request what is asked
   * @param cells one for each rule, in order
   * @return the answer
   * @throws ForeignDataException if a cell holds bytes that are not ours; nothing was changed
   */
  public static LimitReply decide(long now, LimitRequest request, Cell[] cells) {
    Meter[] meters = new Meter[cells.length];
    for (int i = 0; i < cells.length; i++) {
      meters[i] = load(request.rules().get(i), cells[i].bytes, now);
    }
    boolean changed = false;
    int granted = 0;
    long wait = 0;
    if (request.verb() == LimitRequest.Verb.GIVE_BACK) {
      for (int i = 0; i < meters.length; i++) {
        changed |= giveBack(meters[i], now, request, request.rules().get(i));
      }
      granted = request.times();
    } else if (request.cost() == 0) {
      granted = request.times();
    } else {
      wait = longestWait(meters, now, request.cost());
      long most = wait == 0 ? passing(meters, now, request) : promised(meters, wait, request);
      granted = (int) most;
      if (request.verb() == LimitRequest.Verb.TAKE) {
        for (Meter meter : meters) {
          changed |= meter.isRebased(); // a refusal too, or the count would never drain
          if (granted > 0) {
            changed = true;
            meter.spend(now, wait, granted * request.cost());
          }
        }
      }
    }
    if (changed) {
      for (int i = 0; i < cells.length; i++) {
        long full = meters[i].fullIn(now);
        cells[i].bytes = full == 0 ? null : meters[i].save(now);
        cells[i].expiresAt = now + full;
      }
    }
    return reply(meters, now, request, granted, granted > 0 ? wait : 0);
  }

  /** Permits that were taken in advance go back to the count that gave them, under its policy. */
  private static boolean giveBack(Meter meter, long now, LimitRequest request, LimitRule rule) {
    long takenAt = request.takenAtMicros();
    if (takenAt == 0) {
      meter.giveBack(now, request.cost(), 0);
      return true;
    }
    boolean gaveThem =
        !meter.converted
            && meter.rule.version() == rule.version()
            && meter.bornMillis * 1000 <= takenAt
            && takenAt <= now;
    if (gaveThem) {
      meter.giveBack(now, request.cost(), now - takenAt);
    }
    return gaveThem;
  }

  private static Meter load(LimitRule rule, byte @Nullable [] stored, long now) {
    try {
      return Meter.load(rule, stored, now);
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new ForeignDataException(
          "tier '" + rule.tier() + "' holds bytes that Sluice did not write: " + e.getMessage(), e);
    }
  }

  private static long longestWait(Meter[] meters, long now, long cost) {
    long longest = 0;
    for (Meter meter : meters) {
      longest = Math.max(longest, waitIn(meter, now, cost));
    }
    return longest;
  }

  private static long waitIn(Meter meter, long now, long cost) {
    return meter.neverPasses(cost)
        ? Math.max(NEVER_PASSES_MICROS, meter.fullIn(now))
        : meter.waitFor(now, cost);
  }

  /** How many of the calls pass right now. */
  private static long passing(Meter[] meters, long now, LimitRequest request) {
    long most = request.times();
    for (Meter meter : meters) {
      most = Math.min(most, meter.available(now) / request.cost());
    }
    return most;
  }

  /** 1 if the call gets a place in time, else 0. */
  private static int promised(Meter[] meters, long wait, LimitRequest request) {
    boolean inTime = request.times() == 1 && wait <= request.maxWaitMicros();
    for (Meter meter : meters) {
      inTime &= wait <= meter.rule.horizonMicros() && !meter.neverPasses(request.cost());
    }
    return inTime ? 1 : 0;
  }

  private static LimitReply reply(
      Meter[] meters, long now, LimitRequest request, int granted, long wait) {
    boolean refused = granted < request.times();
    int steps = 0;
    boolean newer = false;
    int tier = 0;
    long retry = 0;
    long fewest = Long.MAX_VALUE;
    for (int i = 0; i < meters.length; i++) {
      steps += meters[i].clockSteps;
      newer |= meters[i].rule.version() > request.rules().get(i).version();
      long until = refused ? waitIn(meters[i], now, request.cost()) : 0;
      long left = meters[i].available(now);
      if (refused ? until > retry : left < fewest) {
        tier = i;
      }
      retry = Math.max(retry, until);
      fewest = Math.min(fewest, left);
    }
    Meter deciding = meters[tier];
    return new LimitReply(
        granted,
        wait,
        tier,
        deciding.rule.capacity(),
        deciding.available(now),
        retry,
        deciding.fullIn(now),
        steps,
        newer,
        now);
  }
}
