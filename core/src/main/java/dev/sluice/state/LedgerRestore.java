package dev.sluice.state;

import dev.sluice.inventory.ClaimState;
import dev.sluice.inventory.LedgerEntry;
import dev.sluice.spi.ClaimRow;
import dev.sluice.spi.InventoryBackend;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The orders of a ledger in the claims of a stock, for {@link SaleState}. Not thread-safe. */
final class LedgerRestore {
  private enum Restored {
    /** There was nothing to do. */
    NOTHING,
    /** Units were taken again. */
    TAKEN,
    /** The state changed in another way. */
    SETTLED,
    /** Store and ledger contradict each other. */
    CONFLICT
  }

  private final SaleState sale;
  private final long now;
  private final ClaimTable table;

  /**
   * @param now the store's clock, microseconds since the epoch
   */
  LedgerRestore(SaleState sale, long now, ClaimTable table) {
    this.sale = sale;
    this.now = now;
    this.table = table;
  }

  InventoryBackend.RestoreReply restore(long epoch, List<LedgerEntry> orders) {
    int restored = 0;
    int settled = 0;
    List<ClaimRow> conflicts = new ArrayList<>();
    for (LedgerEntry order : orders) {
      boolean present = epoch == sale.epoch();
      StoredClaim last = present ? sale.last(now, order.claimant(), table) : null;
      switch (present ? restore(order, last) : Restored.CONFLICT) {
        case TAKEN -> restored++;
        case SETTLED -> settled++;
        case CONFLICT -> conflicts.add(last == null ? unknown(order) : last.row());
        case NOTHING -> {}
      }
    }
    return new InventoryBackend.RestoreReply(restored, settled, conflicts);
  }

  private ClaimRow unknown(LedgerEntry order) {
    return new ClaimRow(sale.epoch(), 0, order.claimant(), 0, "", ClaimState.UNKNOWN, 0, 0);
  }

  private Restored restore(LedgerEntry order, @Nullable StoredClaim last) {
    if (order.claimId() > now + SaleState.MAX_AHEAD_MICROS) {
      return Restored.CONFLICT;
    }
    sale.follow(order.claimId());
    boolean cancelled = order.state() == ClaimState.CANCELLED;
    if (last != null && last.row().id() == order.claimId()) {
      return settle(order, last);
    }
    if (last != null && last.row().id() > order.claimId() && cancelled) {
      return Restored.NOTHING; // an order that was given up long ago
    }
    if (last != null && last.row().state().isLive()) {
      return Restored.CONFLICT;
    }
    sale.add(
        now,
        new ClaimRow(
            sale.epoch(),
            order.claimId(),
            order.claimant(),
            order.quantity(),
            order.requestId(),
            stateOf(order),
            now,
            0),
        table);
    return cancelled ? Restored.SETTLED : Restored.TAKEN;
  }

  private ClaimState stateOf(LedgerEntry order) {
    return order.state() == ClaimState.HELD ? sale.written() : order.state();
  }

  /** Settles a claim as the ledger has it: both are the same claim. */
  private Restored settle(LedgerEntry order, StoredClaim claim) {
    ClaimState state = claim.row().state();
    boolean live = state.isLive();
    ClaimState wanted = stateOf(order);
    if (state == ClaimState.QUEUED || state == wanted || !live && !wanted.isLive()) {
      return Restored.NOTHING;
    }
    if (!live && order.state() == ClaimState.HELD) {
      return Restored.CONFLICT;
    }
    if (state == ClaimState.CONFIRMED && wanted == ClaimState.HELD) {
      return Restored.NOTHING; // the confirmation is on its way to the ledger
    }
    sale.move(claim, claim.in(wanted, sale.dueAt(now, wanted), ""), table);
    return live ? Restored.SETTLED : Restored.TAKEN;
  }
}
