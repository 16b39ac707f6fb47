package dev.sluice.internal.inventory;

import dev.sluice.internal.call.Failures;
import dev.sluice.inventory.ClaimState;
import dev.sluice.inventory.LedgerEntry;
import dev.sluice.inventory.Reconciliation;
import dev.sluice.inventory.Sale;
import dev.sluice.spi.ClaimMark;
import dev.sluice.spi.ClaimPage;
import dev.sluice.spi.ClaimRow;
import dev.sluice.spi.InventoryBackend;
import dev.sluice.spi.SaleTerms;
import dev.sluice.text.Names;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** One comparison of a stock with its ledger. For one thread. */
final class InventoryReconciler {
  /*
   * A drained claim is held or final at the store only after its order was written. So of those that
   * were held or final before the ledger was read, each has an order there, or lost it; no clock is
   * needed to tell. First the ids of these are noted, then the ledger is read and taken over, then
   * what was noted, has no order and still stands is requeued.
   *
   * An order may contradict the store only because another of the same claimant comes later in the
   * ledger; so those that did are tried once more at the end.
   */
  private static final int PAGE = 1000;
  private static final int MAX_CONFLICTS = 100;
  private static final int MAX_RETRIED = 1000;

  /** Sends a request until it is answered. */
  @FunctionalInterface
  interface RetryingSender {
    <T> CompletableFuture<T> ask(Supplier<CompletionStage<T>> verb);
  }

  private final String name;
  private final String what;
  private final RetryingSender sender;
  private final LongSet ordered = new LongSet();
  private final List<LedgerEntry> again = new ArrayList<>();
  private final List<String> conflicts = new ArrayList<>();
  private long orders;
  private long restored;
  private long settled;
  private long requeued;

  InventoryReconciler(String name, String what, RetryingSender sender) {
    this.name = name;
    this.what = what;
    this.sender = sender;
  }

  private <T> T ask(Supplier<CompletionStage<T>> verb) {
    return Failures.await(sender.ask(verb), what);
  }

  Reconciliation run(InventoryBackend store, Iterable<LedgerEntry> ledger) {
    SaleTerms terms = terms(store);
    long epoch = terms.epoch();
    boolean drained = terms.drained();
    LongSet durable = new LongSet();
    if (drained) {
      pages(store, row -> note(row, durable));
    }
    read(store, epoch, ledger);
    if (drained) {
      requeue(store, durable, terms.holdMicros() > 0);
    }
    return new Reconciliation(orders, restored, settled, requeued, conflicts);
  }

  /** Reconciles one order; returns whether the store has changed. */
  boolean restore(InventoryBackend store, LedgerEntry order) {
    check(order);
    long epoch = terms(store).epoch();
    if (order.epoch() == epoch) {
      restore(store, epoch, List.of(order), false);
    }
    return restored + settled > 0;
  }

  private SaleTerms terms(InventoryBackend store) {
    SaleTerms terms = ask(() -> store.look(name)).terms();
    if (terms == null) {
      throw new IllegalStateException(what + ": no sale is loaded; open it first");
    }
    return terms;
  }

  private static boolean isDurable(ClaimRow row) {
    return row.state() == ClaimState.HELD || row.state() == ClaimState.CONFIRMED;
  }

  private static void note(ClaimRow row, LongSet durable) {
    if (isDurable(row)) {
      durable.add(row.id());
    }
  }

  private void pages(InventoryBackend store, Consumer<ClaimRow> each) {
    String after = "";
    do {
      String from = after;
      ClaimPage page = ask(() -> store.page(name, from, PAGE));
      page.rows().forEach(each);
      after = page.next();
    } while (!after.isEmpty());
  }

  private void read(InventoryBackend store, long epoch, Iterable<LedgerEntry> ledger) {
    List<LedgerEntry> some = new ArrayList<>(InventoryBackend.MAX_BATCH);
    for (LedgerEntry order : ledger) {
      check(order);
      orders++;
      ordered.add(order.claimId());
      if (order.epoch() != epoch) {
        conflict(
            "claimant "
                + Names.quoted(order.claimant())
                + ": order "
                + order.claimId()
                + " is of epoch "
                + order.epoch()
                + ", the sale of epoch "
                + epoch);
        continue;
      }
      some.add(order);
      if (some.size() == InventoryBackend.MAX_BATCH) {
        restore(store, epoch, some, true);
        some.clear();
      }
    }
    restore(store, epoch, some, true);
    for (LedgerEntry order : again) { // alone, so that it is known which one contradicts
      restore(store, epoch, List.of(order), false);
    }
  }

  private static void check(LedgerEntry order) {
    ClaimFormats.checkClaim(order.claimant(), order.quantity(), order.requestId());
    if (order.epoch() < 1 || order.epoch() > Sale.MAX) {
      throw new IllegalArgumentException("epoch must be 1 to 2^53 - 1: " + order.epoch());
    }
    if (order.claimId() < 1 || order.claimId() > Sale.MAX) {
      throw new IllegalArgumentException("claimId must be 1 to 2^53 - 1: " + order.claimId());
    }
  }

  private void restore(
      InventoryBackend store, long epoch, List<LedgerEntry> orders, boolean first) {
    if (orders.isEmpty()) {
      return;
    }
    List<LedgerEntry> sent = List.copyOf(orders);
    InventoryBackend.RestoreReply reply = ask(() -> store.restore(name, epoch, sent));
    restored += reply.restored();
    settled += reply.settled();
    for (ClaimRow conflict : reply.conflicts()) {
      boolean isAgain = first && again.size() < MAX_RETRIED;
      for (LedgerEntry order : sent) {
        if (!order.claimant().equals(conflict.claimant())) {
          continue;
        }
        if (isAgain) {
          again.add(order);
        } else {
          conflict(words(order, conflict, epoch));
        }
      }
    }
  }

  private void conflict(String text) {
    if (conflicts.size() < MAX_CONFLICTS) {
      conflicts.add(text);
    }
  }

  private static String words(LedgerEntry order, ClaimRow claim, long epoch) {
    return "claimant "
        + Names.quoted(order.claimant())
        + ": the ledger has claim "
        + order.claimId()
        + " ("
        + order.state()
        + "), the store "
        + (claim.id() > 0
            ? "claim " + claim.id() + " (" + claim.state() + ")"
            : claim.epoch() != epoch
                ? "another sale, " + claim.epoch()
                : "none, and cannot have given that id yet");
  }

  private void requeue(InventoryBackend store, LongSet durable, boolean isHeldFirst) {
    List<ClaimMark> lost = new ArrayList<>();
    pages(
        store,
        row -> {
          if (!isDurable(row) || !durable.contains(row.id()) || ordered.contains(row.id())) {
            return;
          }
          if (!isHeldFirst || row.state() == ClaimState.HELD) {
            lost.add(new ClaimMark(row.claimant(), row.id()));
          } else {
            conflict(
                "claimant "
                    + Names.quoted(row.claimant())
                    + ": claim "
                    + row.id()
                    + " is confirmed, and the ledger has no order of it");
          }
        });
    for (int from = 0; from < lost.size(); from += InventoryBackend.MAX_BATCH) {
      List<ClaimMark> some =
          List.copyOf(lost.subList(from, Math.min(lost.size(), from + InventoryBackend.MAX_BATCH)));
      requeued += ask(() -> store.requeue(name, some));
    }
  }
}
