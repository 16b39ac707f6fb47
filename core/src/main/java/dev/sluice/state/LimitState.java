package dev.sluice.state;

import dev.sluice.ForeignDataException;
import dev.sluice.limit.Settlement;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.LimitRule;
import dev.sluice.spi.SettleRequest;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Every decision about rate limits: a function of the stored state, the store's time and the
 * request. No clock, no thread, no store in here; the caller keeps the cells and makes each call
 * one atomic step. The Redis scripts are the twin of this class.
 */
public final class LimitState {
  /** The wait for a cost above the capacity in force, which prevents a busy loop. */
  private static final long NEVER_PASSES_MICROS = 1_000_000;

  private static final int FORM = 1;

  /**
   * The birth of a count is recorded in milliseconds, rounded up. A use may be what made the count.
   */
  private static final long SAME_MILLISECOND = 999;

  /** The value stored for a settled id. */
  private static final byte[] MARK = {'1'};

  /** A bound well above the longest log. */
  private static final int MAX_BYTES = 1 << 24;

  private LimitState() {}

  /**
   * The stored state of one tier of one key, or of one key of {@link ThrottleState}. Not
   * thread-safe.
   */
  public static final class Cell {
    /** The bytes, or null if nothing counts as spent. */
    public byte @Nullable [] bytes;

    /** The store's time from which nothing counts as spent; an older state may be dropped. */
    public long expiresAt;

    /** An empty cell. */
    public Cell() {}

    /** {@return the store's time from which the cell may be dropped, unless it is used before} */
    public long forgettableAt() {
      return bytes == null ? 0 : expiresAt;
    }

    /**
     * Writes the cell in the format of {@link #read}.
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
   * Decides one request, in every tier or in none.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param request what is asked
   * @param cells one for each rule, in order
   * @return the answer
   * @throws ForeignDataException if a cell holds bytes that Sluice did not write; nothing was
   *     changed
   */
  public static LimitReply decide(long now, LimitRequest request, Cell[] cells) {
    Meter[] meters = load(request.rules(), cells, now);
    long[] costs = new long[meters.length];
    for (int i = 0; i < costs.length; i++) {
      costs[i] = request.rules().get(i).costOf(request.cost());
    }
    boolean changed = false;
    int granted = 0;
    long wait = 0;
    if (request.verb() == LimitRequest.Verb.GIVE_BACK) {
      for (int i = 0; i < meters.length; i++) {
        changed |=
            giveBack(meters[i], now, costs[i], request.takenAtMicros(), 0, request.rules().get(i));
      }
      granted = request.times();
    } else if (request.cost() == 0) {
      granted = request.times();
    } else {
      wait = longestWait(meters, now, costs);
      long most =
          wait == 0
              ? passing(meters, now, costs, request.times())
              : promised(meters, wait, costs, request);
      granted = (int) most;
      if (request.verb() != LimitRequest.Verb.PEEK) {
        for (int i = 0; i < meters.length; i++) {
          changed |= meters[i].isRebased(); // a refusal too, or the count would never drain
          if (granted > 0) {
            changed = true;
            if (request.verb() == LimitRequest.Verb.BEGIN) {
              meters[i].expectSettlement(now);
            }
            meters[i].spend(now, wait, granted * costs[i]);
          }
        }
      }
    }
    if (changed) {
      save(meters, cells, now);
    }
    return reply(meters, now, request, costs, granted, granted > 0 ? wait : 0);
  }

  /**
   * Replaces the estimated cost of a use by its actual cost. An excess goes back, as {@link
   * LimitRequest.Verb#GIVE_BACK} does with permits whose time is known; a shortfall is spent now,
   * up to the most debt.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param request what it has cost
   * @param cells one for each rule, in order
   * @param mark of the id; empty if the id is not known
   * @return whether it counted
   * @throws ForeignDataException if a cell holds bytes that Sluice did not write; nothing was
   *     changed
   */
  public static Settlement settle(long now, SettleRequest request, Cell[] cells, Cell mark) {
    Meter[] meters = load(request.rules(), cells, now);
    long until = request.begunAtMicros() + request.withinMicros();
    if (now > until) {
      return Settlement.LATE;
    }
    if (mark.bytes != null) {
      return Settlement.REPEATED;
    }
    mark.bytes = MARK.clone();
    mark.expiresAt = until + 1;
    boolean changed = false;
    for (int i = 0; i < meters.length; i++) {
      LimitRule rule = request.rules().get(i);
      long more = request.costIn(rule) - rule.costOf(request.estimate());
      if (more > 0) {
        meters[i].charge(now, more);
        changed = true;
      } else if (more < 0) {
        changed |= giveBack(meters[i], now, -more, request.begunAtMicros(), SAME_MILLISECOND, rule);
      }
    }
    if (changed) {
      save(meters, cells, now);
    }
    return Settlement.COUNTED;
  }

  private static void save(Meter[] meters, Cell[] cells, long now) {
    for (int i = 0; i < cells.length; i++) {
      long full = meters[i].fullIn(now);
      cells[i].bytes = full == 0 ? null : meters[i].save(now);
      cells[i].expiresAt = now + full;
    }
  }

  /**
   * Permits with a known time are returned to the count that they were taken from, under its
   * policy.
   *
   * @param early how long before the noted birth of the count they may have been taken
   */
  private static boolean giveBack(
      Meter meter, long now, long amount, long takenAt, long early, LimitRule rule) {
    if (takenAt == 0) {
      meter.giveBack(now, amount, 0);
      return true;
    }
    boolean gaveThem =
        !meter.converted
            && meter.rule.version() == rule.version()
            && meter.bornMillis * 1000 <= takenAt + early
            && takenAt <= now;
    if (gaveThem) {
      meter.giveBack(now, amount, now - takenAt);
    }
    return gaveThem;
  }

  private static Meter[] load(List<LimitRule> rules, Cell[] cells, long now) {
    Meter[] meters = new Meter[cells.length];
    for (int i = 0; i < cells.length; i++) {
      meters[i] = load(rules.get(i), cells[i].bytes, now);
    }
    return meters;
  }

  private static Meter load(LimitRule rule, byte @Nullable [] stored, long now) {
    try {
      return Meter.load(rule, stored, now);
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new ForeignDataException(
          "tier '" + rule.tier() + "' holds bytes that Sluice did not write: " + e.getMessage(), e);
    }
  }

  private static long longestWait(Meter[] meters, long now, long[] costs) {
    long longest = 0;
    for (int i = 0; i < meters.length; i++) {
      longest = Math.max(longest, waitIn(meters[i], now, costs[i]));
    }
    return longest;
  }

  private static long waitIn(Meter meter, long now, long cost) {
    return meter.neverPasses(cost)
        ? Math.max(NEVER_PASSES_MICROS, meter.fullIn(now))
        : meter.waitFor(now, cost);
  }

  /** The number of calls that pass now. */
  private static long passing(Meter[] meters, long now, long[] costs, int times) {
    long most = times;
    for (int i = 0; i < meters.length; i++) {
      most = Math.min(most, meters[i].available(now) / costs[i]);
    }
    return most;
  }

  /** 1 if the call gets a reservation in time, else 0. */
  private static int promised(Meter[] meters, long wait, long[] costs, LimitRequest request) {
    boolean inTime = request.times() == 1 && wait <= request.maxWaitMicros();
    for (int i = 0; i < meters.length; i++) {
      inTime &= wait <= meters[i].rule.horizonMicros() && !meters[i].neverPasses(costs[i]);
    }
    return inTime ? 1 : 0;
  }

  private static LimitReply reply(
      Meter[] meters, long now, LimitRequest request, long[] costs, int granted, long wait) {
    boolean refused = granted < request.times();
    int steps = 0;
    boolean newer = false;
    int tier = 0;
    long retry = 0;
    long fewest = Long.MAX_VALUE;
    for (int i = 0; i < meters.length; i++) {
      steps += meters[i].clockSteps;
      newer |= meters[i].rule.version() > request.rules().get(i).version();
      long until = refused ? waitIn(meters[i], now, costs[i]) : 0;
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
