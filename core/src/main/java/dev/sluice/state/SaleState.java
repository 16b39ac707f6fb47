package dev.sluice.state;

import dev.sluice.inventory.ClaimResult;
import dev.sluice.inventory.ClaimResult.Outcome;
import dev.sluice.inventory.ClaimState;
import dev.sluice.inventory.LedgerEntry;
import dev.sluice.spi.ClaimMark;
import dev.sluice.spi.ClaimRequest;
import dev.sluice.spi.ClaimRow;
import dev.sluice.spi.ClaimsReply;
import dev.sluice.spi.InventoryBackend;
import dev.sluice.spi.SaleReply;
import dev.sluice.spi.SaleTerms;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One stock as its store sees it, and every decision about it: a function of the state, the claims
 * that it works on, the store's time and the request. The Redis scripts are its only twin. Not
 * thread-safe.
 */
public class SaleState {
  /*
   * A claim whose hold is over counts as returned in every reply, before the sweep as well.
   * Otherwise a confirmation could win over a return that another reply has reported.
   *
   * Two sums hold after every step: left + units of live claims = total, and claims - returned =
   * number of live claims. Both follow from move() being the only way in which a claim changes.
   */

  /** The number of expired claims that one step returns if units are short. */
  public static final int RETURNED_AT_ONCE = 16;

  /**
   * The greatest lead of an order's id over the store's clock: a year. An id follows the clock of
   * the store that gave it. One from further ahead was made up; if it counted as given, the next
   * ones would follow it, out of the range of ids in the end.
   */
  public static final long MAX_AHEAD_MICROS = 365 * 86_400_000_000L;

  private static final ClaimResult SOLD_OUT =
      new ClaimResult(Outcome.SOLD_OUT, 0, ClaimState.UNKNOWN, 0);
  private static final ClaimResult CLOSED =
      new ClaimResult(Outcome.CLOSED, 0, ClaimState.UNKNOWN, 0);
  private static final ClaimResult NOT_LOADED =
      new ClaimResult(Outcome.NOT_LOADED, 0, ClaimState.UNKNOWN, 0);

  private @Nullable SaleTerms terms;
  private long total;
  private boolean closed;
  private long lastId;
  private SaleCounts counts = new SaleCounts();

  /** A stock that was never loaded. */
  public SaleState() {}

  /**
   * The stored form of a stock.
   *
   * @param header what was kept
   */
  public SaleState(SaleHeader header) {
    terms = header.terms();
    total = header.total();
    closed = header.closed();
    lastId = header.lastId();
    counts = new SaleCounts(header);
  }

  /** {@return the state to store} */
  public SaleHeader header() {
    return counts.header(terms, total, closed, lastId);
  }

  /**
   * Decides {@link InventoryBackend#open}.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param asked the terms
   * @param table the claims
   * @return the present sale
   */
  public SaleReply open(long now, SaleTerms asked, ClaimTable table) {
    expire(now, InventoryBackend.MAX_BATCH, table);
    if (terms == null || asked.epoch() > terms.epoch() && isSettled(now)) {
      terms = asked;
      total = asked.total();
      closed = false;
      counts = new SaleCounts();
      table.clear();
    }
    return reply(asked.equals(terms), now, table);
  }

  /** Whether the next sale may begin. */
  private boolean isSettled(long now) {
    boolean over = closed || terms == null || now >= terms.closesAt();
    return over && !counts.isAnyOpen();
  }

  /**
   * Decides {@link InventoryBackend#close}.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param epoch which sale
   * @param table the claims
   * @return the present sale
   */
  public SaleReply close(long now, long epoch, ClaimTable table) {
    boolean present = epoch == epoch();
    if (present) {
      closed = true;
    }
    return reply(present, now, table);
  }

  /**
   * Decides {@link InventoryBackend#resize}.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param epoch which sale
   * @param total units
   * @param table the claims
   * @return the present sale
   */
  public SaleReply resize(long now, long epoch, long total, ClaimTable table) {
    boolean present = epoch == epoch();
    if (present) {
      this.total = total;
    }
    return reply(present, now, table);
  }

  /**
   * Decides {@link InventoryBackend#look}.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param table the claims
   * @return the present sale
   */
  public SaleReply look(long now, ClaimTable table) {
    expire(now, InventoryBackend.MAX_BATCH, table);
    return reply(terms != null, now, table);
  }

  private SaleReply reply(boolean done, long now, ClaimTable table) {
    SaleTerms known = terms;
    SaleTerms present =
        known == null
            ? null
            : new SaleTerms(
                known.epoch(),
                total,
                known.holdMicros(),
                known.drained(),
                known.opensAt(),
                known.closesAt());
    long lag = counts.waiting == 0 ? 0 : Math.max(0, now - table.oldestQueued());
    return new SaleReply(
        done,
        present,
        counts.info(epoch(), isOpen(now), total, left(), Duration.of(lag, ChronoUnit.MICROS)));
  }

  /** {@return the present sale; 0 if there is none} */
  public long epoch() {
    return terms == null ? 0 : terms.epoch();
  }

  /** {@return the units that may be claimed} */
  public long left() {
    return total - counts.live();
  }

  private boolean isOpen(long now) {
    return terms != null && !closed && now >= terms.opensAt() && now < terms.closesAt();
  }

  /**
   * Decides {@link InventoryBackend#claim}.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param requests one after the other
   * @param table the claims
   * @return what was decided about each
   */
  public ClaimsReply claim(long now, List<ClaimRequest> requests, ClaimTable table) {
    List<ClaimResult> results = new ArrayList<>(requests.size());
    boolean moreDue = true;
    for (ClaimRequest request : requests) {
      ClaimResult known = known(now, request, table);
      if (known != null) {
        results.add(known);
        continue;
      }
      if (left() < request.quantity() && moreDue) {
        moreDue = expire(now, RETURNED_AT_ONCE, table) == RETURNED_AT_ONCE;
      }
      results.add(left() < request.quantity() ? SOLD_OUT : accept(now, request, table));
    }
    return new ClaimsReply(results, epoch(), left());
  }

  /** The result that does not depend on the stock; null if the stock has to be read. */
  private @Nullable ClaimResult known(long now, ClaimRequest request, ClaimTable table) {
    if (terms == null) {
      return NOT_LOADED;
    }
    StoredClaim own = last(now, request.claimant(), table);
    if (own != null && isSame(own, request)) {
      ClaimRow row = own.row();
      return new ClaimResult(Outcome.ALREADY_CLAIMED, row.id(), row.state(), row.quantity());
    }
    return isOpen(now) ? null : CLOSED;
  }

  /**
   * Whether a claimant has claimed already.
   *
   * @param last the claimant's last claim
   * @param request the present request
   * @return true if the claim answers the request
   */
  protected boolean isSame(StoredClaim last, ClaimRequest request) {
    return last.row().state().isLive() || last.row().requestId().equals(request.requestId());
  }

  private ClaimResult accept(long now, ClaimRequest request, ClaimTable table) {
    lastId = Math.max(lastId + 1, now);
    ClaimState state = terms().drained() ? ClaimState.QUEUED : written();
    ClaimRow row =
        new ClaimRow(
            epoch(),
            lastId,
            request.claimant(),
            request.quantity(),
            request.requestId(),
            state,
            now,
            0);
    add(now, row, table);
    return new ClaimResult(Outcome.ACCEPTED, lastId, state, request.quantity());
  }

  /** Adds a claim in the state of its row, a cancelled one as a returned one. */
  final void add(long now, ClaimRow row, ClaimTable table) {
    counts.claims++;
    counts.returned += row.state() == ClaimState.CANCELLED ? 1 : 0;
    move(null, new StoredClaim(row, dueAt(now, row.state()), "", 0, ""), table);
  }

  /** Lets the ids of new claims follow this one. */
  final void follow(long id) {
    lastId = Math.max(lastId, id);
  }

  private SaleTerms terms() {
    if (terms == null) {
      throw new IllegalStateException("no sale");
    }
    return terms;
  }

  /** The state of a durable claim. */
  final ClaimState written() {
    return terms().holdMicros() == 0 ? ClaimState.CONFIRMED : ClaimState.HELD;
  }

  final long dueAt(long now, ClaimState state) {
    return state == ClaimState.HELD ? now + terms().holdMicros() : 0;
  }

  /** A claimant's last claim in its present state. */
  final @Nullable StoredClaim last(long now, String claimant, ClaimTable table) {
    StoredClaim last = terms == null ? null : table.get(claimant);
    return last != null && last.isDue(now) ? to(ClaimState.RETURNED, last, table) : last;
  }

  private StoredClaim to(ClaimState state, StoredClaim claim, ClaimTable table) {
    return move(claim, claim.in(state, 0, ""), table);
  }

  /**
   * Replaces a claim by another, and updates the sums.
   *
   * @param from the claim as it was; null: there was none, or it was not live
   * @param to the claim as it is
   * @param table the claims
   * @return {@code to}
   */
  protected StoredClaim move(@Nullable StoredClaim from, StoredClaim to, ClaimTable table) {
    counts.change(from == null ? null : from.row(), to.row());
    table.put(to);
    return to;
  }

  private @Nullable StoredClaim marked(long now, ClaimMark mark, ClaimTable table) {
    StoredClaim last = last(now, mark.claimant(), table);
    return last != null && last.row().id() == mark.id() ? last : null;
  }

  /**
   * Decides {@link InventoryBackend#confirm}.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param mark which claim
   * @param table the claims
   * @return its state afterwards
   */
  public ClaimState confirm(long now, ClaimMark mark, ClaimTable table) {
    StoredClaim claim = marked(now, mark, table);
    if (claim == null) {
      return ClaimState.UNKNOWN;
    }
    ClaimState state = claim.row().state();
    return state == ClaimState.HELD ? to(ClaimState.CONFIRMED, claim, table).row().state() : state;
  }

  /**
   * Decides {@link InventoryBackend#cancel}.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param mark which claim
   * @param table the claims
   * @return its state afterwards
   */
  public ClaimState cancel(long now, ClaimMark mark, ClaimTable table) {
    StoredClaim claim = marked(now, mark, table);
    if (claim == null) {
      return ClaimState.UNKNOWN;
    }
    ClaimState state = claim.row().state();
    boolean free =
        state == ClaimState.HELD
            || state == ClaimState.DEAD_LETTER
            || state == ClaimState.QUEUED && !claim.isWithConsumer();
    return free ? to(ClaimState.CANCELLED, claim, table).row().state() : state;
  }

  /**
   * Decides {@link InventoryBackend#find}.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param claimant whose
   * @param table the claims
   * @return the claim, or null
   */
  public @Nullable ClaimRow find(long now, String claimant, ClaimTable table) {
    StoredClaim last = last(now, claimant, table);
    return last == null ? null : last.row();
  }

  /**
   * Decides {@link InventoryBackend#expire}.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param limit most claims
   * @param table the claims
   * @return how many were returned
   */
  public int expire(long now, int limit, ClaimTable table) {
    if (counts.held == 0) {
      return 0;
    }
    List<StoredClaim> due = table.due(now, limit);
    due.forEach(claim -> to(ClaimState.RETURNED, claim, table));
    return due.size();
  }

  /**
   * Decides {@link InventoryBackend#take}.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param consumer who asks
   * @param limit most claims
   * @param idleMicros after which time a claim is given again
   * @param table the claims
   * @return the claims
   */
  public List<ClaimRow> take(
      long now, String consumer, int limit, long idleMicros, ClaimTable table) {
    if (counts.waiting == 0) {
      return List.of();
    }
    List<StoredClaim> found = new ArrayList<>(table.taken(now - idleMicros, limit));
    if (found.size() < limit) {
      found.addAll(table.untaken(limit - found.size()));
    }
    return found.stream()
        .map(claim -> move(claim, claim.givenTo(consumer, now), table).row())
        .toList();
  }

  /**
   * Decides {@link InventoryBackend#settle}.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param consumer who took them
   * @param marks which claims
   * @param verdict the same for all
   * @param reason for people
   * @param table the claims
   * @return how many were settled
   */
  public int settle(
      long now,
      String consumer,
      List<ClaimMark> marks,
      InventoryBackend.Verdict verdict,
      String reason,
      ClaimTable table) {
    int settled = 0;
    for (ClaimMark mark : marks) {
      StoredClaim claim = marked(now, mark, table);
      boolean written = verdict == InventoryBackend.Verdict.WRITTEN;
      // a slow consumer may have written what another has made a dead letter meanwhile
      boolean open =
          claim != null
              && (claim.row().state() == ClaimState.QUEUED
                  || written && claim.row().state() == ClaimState.DEAD_LETTER);
      if (claim == null || !open) {
        continue;
      }
      // a claim that another consumer is writing by now must not be returned
      boolean hasSay = written || claim.consumer().equals(consumer);
      if (hasSay) {
        settled++;
        ClaimState state =
            switch (verdict) {
              case WRITTEN -> written();
              case REJECTED -> ClaimState.CANCELLED;
              case DEAD_LETTER -> ClaimState.DEAD_LETTER;
            };
        String why = state == ClaimState.DEAD_LETTER ? reason : "";
        move(claim, claim.in(state, dueAt(now, state), why), table);
      }
    }
    return settled;
  }

  /**
   * Decides {@link InventoryBackend#deadLetters}.
   *
   * @param limit most claims
   * @param table the claims
   * @return the claims and why
   */
  public List<InventoryBackend.DeadLetterRow> deadLetters(int limit, ClaimTable table) {
    return counts.deadLetters == 0
        ? List.of()
        : table.aside(limit).stream()
            .map(claim -> new InventoryBackend.DeadLetterRow(claim.row(), claim.reason()))
            .toList();
  }

  /**
   * Decides {@link InventoryBackend#requeue}.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param marks which claims
   * @param table the claims
   * @return how many were queued
   */
  public int requeue(long now, List<ClaimMark> marks, ClaimTable table) {
    int again = 0;
    for (ClaimMark mark : marks) {
      StoredClaim claim = marked(now, mark, table);
      if (claim == null || !terms().drained()) {
        continue;
      }
      ClaimState state = claim.row().state();
      // what is final stays so: where there is a hold, a queued claim would be held once more
      boolean comesBack = state != ClaimState.CONFIRMED || terms().holdMicros() == 0;
      if (state.isLive() && state != ClaimState.QUEUED && comesBack) {
        to(ClaimState.QUEUED, claim, table);
        again++;
      }
    }
    return again;
  }

  /**
   * Decides {@link InventoryBackend#restore}.
   *
   * @param now the store's clock, microseconds since the epoch
   * @param epoch which sale
   * @param orders of the ledger
   * @param table the claims
   * @return what was done
   */
  public InventoryBackend.RestoreReply restore(
      long now, long epoch, List<LedgerEntry> orders, ClaimTable table) {
    return new LedgerRestore(this, now, table).restore(epoch, orders);
  }
}
