package dev.sluice.testkit.inventory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.sluice.inventory.Claim;
import dev.sluice.inventory.ClaimConsumer;
import dev.sluice.inventory.ClaimResult;
import dev.sluice.inventory.ClaimResult.Outcome;
import dev.sluice.inventory.ClaimState;
import dev.sluice.inventory.DrainOptions;
import dev.sluice.inventory.Inventory;
import dev.sluice.inventory.InventoryInfo;
import dev.sluice.inventory.LedgerEntry;
import dev.sluice.inventory.Reconciliation;
import dev.sluice.inventory.Sale;
import dev.sluice.spi.ClaimMark;
import dev.sluice.testkit.FlakyBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests that a store that lost writes agrees with its ledger again.
 *
 * @since 0.1
 */
public interface StockReconciliation extends InventoryContract {
  Duration DAY = Duration.ofDays(1);

  private LedgerEntry order(String claimant, long id, ClaimState state) {
    return LedgerEntry.claimId(id)
        .epoch(1)
        .claimant(claimant)
        .quantity(1)
        .requestId("of " + claimant + " " + id)
        .state(state);
  }

  /** Sells and drains. */
  private Ledger sold(Inventory stock, int claims) {
    Ledger ledger = new Ledger();
    for (int i = 0; i < claims; i++) {
      accepted(stock, "claimant-" + i);
    }
    drain(stock, ledger);
    return ledger;
  }

  private void drain(Inventory stock, Ledger ledger) {
    try (ClaimConsumer drain = stock.drain(DrainOptions.defaults(), ledger)) {
      eventually("all is written", () -> stock.info().waiting() == 0);
      assertThat(drain.stats().refused()).isZero();
    }
  }

  @Test
  default void i3_whatAgreesIsLeftAlone() {
    Inventory stock = stock();
    stock.open(drained(20).hold(DAY));
    Ledger ledger = sold(stock, 10);
    InventoryInfo before = figures(stock);
    Reconciliation found = stock.reconcile(ledger.entries(ClaimState.HELD));
    assertThat(found).isEqualTo(new Reconciliation(10, 0, 0, 0, List.of()));
    assertThat(found.isClean()).isTrue();
    assertThat(figures(stock)).isEqualTo(before);
    assertThat(stock.reconcile(List.of()).orders()).isZero();
  }

  @Test
  default void i3_ordersThatTheStoreForgotTakeTheirUnitsAgain() {
    Inventory stock = stock();
    stock.open(drained(5).hold(DAY));
    long known = accepted(stock, "ann");
    long lost = known + 5_000_000;
    List<LedgerEntry> ledger =
        List.of(
            order("bob", lost, ClaimState.HELD),
            order("cid", lost + 1, ClaimState.CONFIRMED),
            order("dan", lost + 2, ClaimState.CANCELLED));
    Reconciliation found = stock.reconcile(ledger);
    assertThat(found.restored()).isEqualTo(2);
    assertThat(found.conflicts()).isEmpty();
    InventoryInfo figures = figures(stock);
    assertThat(figures.left()).isEqualTo(2);
    assertThat(figures.held()).isEqualTo(1);
    assertThat(figures.confirmed()).isEqualTo(1);
    assertThat(stock.claim("bob", 1, "other").claimId()).isEqualTo(lost);
    assertThat(stock.claim("dan", 1, "of dan " + (lost + 2)).outcome())
        .as("its request claims nothing again")
        .isEqualTo(Outcome.ALREADY_CLAIMED);
    assertThat(accepted(stock, "dan")).as("no id is given again").isGreaterThan(lost + 2);
    assertThat(stock.reconcile(ledger).isClean()).isTrue();
  }

  @Test
  default void i3_oneOrderIsTakenOverAlone() {
    Inventory stock = stock();
    assertThatThrownBy(() -> stock.restore(order("ann", 1, ClaimState.HELD)))
        .isInstanceOf(IllegalStateException.class);
    stock.open(drained(5).hold(DAY));
    Claim claim = sold(stock, 3).orders().values().iterator().next();
    assertThat(stock.confirm(claim.claimant(), claim.id())).isEqualTo(ClaimState.CONFIRMED);
    LedgerEntry givenUp = LedgerEntry.of(claim).quantity(1).state(ClaimState.CANCELLED);
    assertThat(stock.restore(givenUp)).isTrue();
    assertThat(figures(stock).left()).isEqualTo(3);
    assertThat(figures(stock).confirmed()).isZero();
    assertThat(figures(stock).held()).as("the others").isEqualTo(2);
    assertThat(stock.restore(givenUp)).isFalse();
    LedgerEntry paid = LedgerEntry.of(claim).quantity(1).state(ClaimState.CONFIRMED);
    assertThat(stock.restore(paid)).isTrue();
    assertThat(figures(stock).left()).isEqualTo(2);
    assertThat(figures(stock).confirmed()).isEqualTo(1);
  }

  @Test
  default void i3_orderOfAnotherSaleTakesNothingOfThisOne() {
    Inventory stock = stock();
    stock.open(drained(5).hold(DAY));
    LedgerEntry old =
        sold(stock, 1).entries(ClaimState.CONFIRMED).get(0); // it is lost before the next sale
    assertThat(stock.cancel(old.claimant(), old.claimId())).isEqualTo(ClaimState.CANCELLED);
    stock.close(1);
    stock.open(Sale.epoch(2).total(5).hold(DAY).drained());

    Reconciliation found = stock.reconcile(List.of(old));
    assertThat(found.restored()).isZero();
    assertThat(found.conflicts())
        .containsExactly(
            "claimant 'claimant-0': order "
                + old.claimId()
                + " is of epoch 1, the sale of epoch 2");
    assertThat(stock.restore(old)).isFalse();
    assertThat(figures(stock).left()).isEqualTo(5);
  }

  @Test
  default void i3_moreOrdersThanUnitsLeaveLessThanNothing() {
    Inventory stock = stock();
    stock.open(drained(2));
    accepted(stock, "ann");
    long lost = accepted(stock, "bob") + 1000;
    assertThat(stock.reconcile(List.of(order("cid", lost, ClaimState.CONFIRMED))).restored())
        .isEqualTo(1);
    assertThat(figures(stock).left()).isEqualTo(-1);
    assertThat(stock.claim("dan", 1, "r").outcome()).isEqualTo(Outcome.SOLD_OUT);
  }

  @Test
  default void i3_storeThatLostEverythingIsRebuilt() {
    Inventory stock = stock();
    Sale sale = drained(1300).hold(DAY);
    stock.open(sale);
    Ledger ledger = sold(stock, 1100);
    ClaimResult unwritten = stock.claim("unanswered claimant", 1, "r");
    assertThat(unwritten.outcome()).isEqualTo(Outcome.ACCEPTED);
    store().loseData();
    store().pass(Duration.ofMillis(2)); // ids of 1100 claims may be 1.1 ms ahead of the clock
    assertThatThrownBy(() -> stock.reconcile(List.of())).isInstanceOf(IllegalStateException.class);
    stock.open(sale);
    assertThat(stock.reconcile(ledger.entries(ClaimState.HELD)).restored()).isEqualTo(1100);
    assertThat(figures(stock).left()).isEqualTo(200);
    assertThat(figures(stock).held()).isEqualTo(1100);
    ledger.orders().values().stream()
        .limit(20)
        .forEach(
            claim ->
                assertThat(stock.claim(claim.claimant(), 1, claim.requestId()).claimId())
                    .isEqualTo(claim.id()));
    assertThat(stock.claim("unanswered claimant", 1, "r").claimId())
        .isGreaterThan(unwritten.claimId());
    assertThat(stock.reconcile(ledger.entries(ClaimState.HELD)).restored()).isZero();
  }

  @Test
  default void i3_claimsWhoseOrdersAreLostAreDrainedAgain() {
    Inventory stock = stock();
    stock.open(drained(20).hold(DAY));
    Ledger ledger = sold(stock, 8);
    List<LedgerEntry> kept = ledger.entries(ClaimState.HELD).subList(0, 5);
    Reconciliation found = stock.reconcile(kept);
    assertThat(found.requeued()).isEqualTo(3);
    assertThat(found.conflicts()).isEmpty();
    assertThat(figures(stock).queued()).isEqualTo(3);
    assertThat(figures(stock).left()).isEqualTo(12);
    Ledger again = new Ledger();
    drain(stock, again);
    kept.forEach(entry -> ledger.orders().remove(entry.claimId()));
    assertThat(again.orders().keySet()).isEqualTo(ledger.orders().keySet());
    List<LedgerEntry> all = new ArrayList<>(kept);
    all.addAll(again.entries(ClaimState.HELD));
    assertThat(stock.reconcile(all).isClean()).isTrue();
  }

  /**
   * A requeued claim would be held again and might be returned, although it may have been paid for.
   */
  @Test
  default void i3_finalClaimWithoutAnOrderStaysFinalWhereThereIsAHold() {
    FlakyBackend line = line();
    Inventory stock = over(line);
    stock.open(drained(20).hold(DAY));
    Ledger ledger = sold(stock, 3);
    long id = stock.find("claimant-0").orElseThrow().id();
    assertThat(stock.confirm("claimant-0", id)).isEqualTo(ClaimState.CONFIRMED);
    ledger.orders().remove(id);
    InventoryInfo before = figures(stock);
    List<LedgerEntry> orders = ledger.entries(ClaimState.HELD);
    for (int i = 0; i < 2; i++) {
      Reconciliation found = stock.reconcile(orders);
      assertThat(found.conflicts())
          .singleElement(STRING)
          .contains("'claimant-0'", "claim " + id, "no order of it");
      assertThat(found).isEqualTo(new Reconciliation(2, 0, 0, 0, found.conflicts()));
      assertThat(found.isClean()).isFalse();
      assertThat(figures(stock)).isEqualTo(before);
      assertThat(state(stock, "claimant-0")).isEqualTo(ClaimState.CONFIRMED);
    }
    ClaimMark mark = new ClaimMark("claimant-0", id);
    assertThat(ended(line.inventories().requeue(NAME, List.of(mark))))
        .as("nor does the store, for any caller")
        .isZero();
    assertThat(figures(stock)).isEqualTo(before);
  }

  @Test
  default void i3_finalClaimWithoutAnOrderIsDrainedAgainWhereThereIsNoHold() {
    Inventory stock = stock();
    stock.open(drained(5));
    Ledger ledger = sold(stock, 2);
    long id = stock.find("claimant-0").orElseThrow().id();
    ledger.orders().remove(id);
    Reconciliation found = stock.reconcile(ledger.entries(ClaimState.CONFIRMED));
    assertThat(found).isEqualTo(new Reconciliation(1, 0, 0, 1, List.of()));
    Ledger again = new Ledger();
    drain(stock, again);
    assertThat(again.orders()).containsOnlyKeys(id);
    eventually("it is final", () -> figures(stock).confirmed() == 2);
    assertThat(figures(stock).left()).isEqualTo(3);
  }

  @Test
  default void i3_claimsAreSettledAsTheLedgerSays() {
    Inventory stock = stock();
    stock.open(drained(20).hold(DAY));
    Ledger ledger = sold(stock, 4);
    List<LedgerEntry> held =
        ledger.entries(ClaimState.HELD).stream()
            .sorted(Comparator.comparing(LedgerEntry::claimant))
            .toList();
    long first = held.get(0).claimId();
    assertThat(stock.confirm("claimant-0", first)).isEqualTo(ClaimState.CONFIRMED);
    List<LedgerEntry> orders =
        List.of(
            held.get(0), // the confirmation is on its way
            in(held.get(1), ClaimState.CONFIRMED),
            in(held.get(2), ClaimState.CANCELLED),
            held.get(3));
    Reconciliation found = stock.reconcile(orders);
    assertThat(found).isEqualTo(new Reconciliation(4, 0, 2, 0, List.of()));
    assertThat(state(stock, "claimant-0")).isEqualTo(ClaimState.CONFIRMED);
    assertThat(state(stock, "claimant-1")).isEqualTo(ClaimState.CONFIRMED);
    assertThat(state(stock, "claimant-2")).isEqualTo(ClaimState.CANCELLED);
    assertThat(figures(stock).left()).isEqualTo(17);
    assertThat(stock.reconcile(orders).isClean()).isTrue();
  }

  private LedgerEntry in(LedgerEntry entry, ClaimState state) {
    return entry.state(state);
  }

  @Test
  default void i3_whatContradictsIsTold() {
    Inventory stock = stock();
    stock.open(drained(20).hold(DAY));
    Ledger ledger = sold(stock, 2);
    List<LedgerEntry> orders = new ArrayList<>();
    for (LedgerEntry entry : ledger.entries(ClaimState.HELD)) {
      if (entry.claimant().equals("claimant-0")) {
        assertThat(stock.cancel(entry.claimant(), entry.claimId())).isEqualTo(ClaimState.CANCELLED);
        orders.add(entry);
      } else {
        orders.add(entry);
        orders.add(order(entry.claimant(), entry.claimId() + 7, ClaimState.HELD));
        orders.add(
            order(entry.claimant(), entry.claimId() - 7, ClaimState.CANCELLED)); // an old one
      }
    }
    InventoryInfo before = figures(stock);
    Reconciliation found = stock.reconcile(orders);
    assertThat(found.conflicts()).hasSize(2);
    assertThat(found.conflicts()).anySatisfy(text -> assertThat(text).contains("'claimant-0'"));
    assertThat(found.restored() + found.settled() + found.requeued()).isZero();
    assertThat(figures(stock)).isEqualTo(before);
    assertThat(stock.reconcile(List.of(order("claimant-1", 1, ClaimState.HELD))).conflicts())
        .hasSize(1);
  }

  /** The store lost the claim, its claimant claimed again, and the drain refused the second. */
  @Test
  default void i3_orderIsTakenInThePlaceOfALaterClaimThatIsNotLive() {
    Inventory stock = stock();
    stock.open(Sale.epoch(1).total(5).hold(DAY));
    long later = accepted(stock, "ann");
    stock.cancel("ann", later);
    List<LedgerEntry> orders = List.of(order("ann", later - 100, ClaimState.CONFIRMED));
    Reconciliation found = stock.reconcile(orders);
    assertThat(found.conflicts()).isEmpty();
    assertThat(found.restored()).isEqualTo(1);
    assertThat(figures(stock).confirmed()).isEqualTo(1);
    assertThat(figures(stock).left()).isEqualTo(4);
    assertThat(stock.reconcile(orders).isClean()).isTrue();
  }

  @Test
  default void i3_orderOfAClaimThatFollowedAForgottenCancellationIsTaken() {
    Inventory stock = stock();
    stock.open(Sale.epoch(1).total(5).hold(DAY));
    long first = accepted(stock, "ann");
    List<LedgerEntry> orders =
        List.of(
            order("ann", first + 100, ClaimState.CONFIRMED),
            order("ann", first, ClaimState.CANCELLED));
    Reconciliation found = stock.reconcile(orders);
    assertThat(found.conflicts()).isEmpty();
    assertThat(found.restored()).isEqualTo(1);
    assertThat(stock.find("ann").orElseThrow().id()).isEqualTo(first + 100);
    assertThat(figures(stock).confirmed()).isEqualTo(1);
    assertThat(figures(stock).left()).isEqualTo(4);
    assertThat(stock.reconcile(orders).isClean()).isTrue();
  }

  @Test
  default void i3_saleGoesOnMeanwhile() {
    Inventory stock = stock();
    Inventory elsewhere = stock();
    stock.open(drained(50).hold(DAY));
    Ledger ledger = sold(stock, 5);
    Iterator<LedgerEntry> entries = ledger.entries(ClaimState.HELD).iterator();
    Iterable<LedgerEntry> reading =
        () ->
            new Iterator<>() {
              @Override
              public boolean hasNext() {
                if (!entries.hasNext()) { // after the last order was read, more is written
                  accepted(elsewhere, "late-" + stock.info().claims());
                  drain(elsewhere, new Ledger());
                }
                return entries.hasNext();
              }

              @Override
              public LedgerEntry next() {
                return entries.next();
              }
            };
    Reconciliation found = stock.reconcile(reading);
    assertThat(found.isClean()).as("%s", found).isTrue();
    eventually("all is durable", () -> figures(stock).queued() == 0);
  }

  @Test
  default void i3_idThatNoStoreCanHaveGivenIsToldAndSpoilsNothing() {
    Inventory stock = stock();
    stock.open(Sale.epoch(1).total(5).hold(DAY));
    long given = accepted(stock, "ann");
    List<LedgerEntry> ledger =
        List.of(
            order("bob", Sale.MAX, ClaimState.HELD),
            order("ann", Sale.MAX, ClaimState.HELD),
            order("cid", given - 1, ClaimState.HELD));
    Reconciliation found = stock.reconcile(ledger);
    assertThat(found.restored()).isOne();
    assertThat(found.conflicts()).hasSize(2);
    assertThat(found.conflicts().get(0)).contains("'bob'", "" + Sale.MAX, "cannot have given");
    assertThat(accepted(stock, "dan")).isGreaterThan(given).isLessThan(Sale.MAX / 2);
    assertThat(accepted(stock, "eve")).isLessThan(Sale.MAX / 2);
    assertThat(figures(stock).held()).isEqualTo(4);
  }

  @Test
  default void i3_orderThatNoClaimCouldHaveMadeIsRefused() {
    Inventory stock = stock();
    stock.open(drained(5));
    for (LedgerEntry bad :
        List.of(
            order("", 1, ClaimState.HELD),
            order("ann", 0, ClaimState.HELD),
            order("ann", Sale.MAX + 1, ClaimState.HELD),
            LedgerEntry.claimId(1).epoch(1).claimant("ann").quantity(0).requestId("r"),
            LedgerEntry.claimId(1)
                .epoch(1)
                .claimant("ann")
                .quantity(1)
                .requestId("x".repeat(129)))) {
      assertThatThrownBy(() -> stock.reconcile(List.of(bad)))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(figures(stock).left()).isEqualTo(5);
  }

  @Test
  default void i3_saleThatIsNotDrainedHasNothingQueued() {
    Inventory stock = stock();
    stock.open(Sale.epoch(1).total(5).hold(DAY));
    accepted(stock, "ann");
    assertThat(stock.reconcile(List.of()).isClean()).isTrue();
    assertThat(figures(stock).held()).isEqualTo(1);
  }
}
