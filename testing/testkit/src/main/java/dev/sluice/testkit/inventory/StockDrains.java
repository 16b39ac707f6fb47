package dev.sluice.testkit.inventory;

import static dev.sluice.testkit.FlakyBackend.Fault.HOLDS_REPLY;
import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REPLY;
import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Verb.SETTLE;
import static dev.sluice.testkit.FlakyBackend.Verb.TAKE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.BackendException;
import dev.sluice.inventory.Claim;
import dev.sluice.inventory.ClaimConsumer;
import dev.sluice.inventory.ClaimResult;
import dev.sluice.inventory.ClaimResult.Outcome;
import dev.sluice.inventory.ClaimState;
import dev.sluice.inventory.DeadLetter;
import dev.sluice.inventory.DrainHandler;
import dev.sluice.inventory.DrainOptions;
import dev.sluice.inventory.Inventory;
import dev.sluice.inventory.InventoryInfo;
import dev.sluice.spi.ClaimMark;
import dev.sluice.spi.InventoryBackend;
import dev.sluice.spi.InventoryBackend.Verdict;
import dev.sluice.testkit.FlakyBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Tests of drains: every accepted claim is delivered at least once, and none blocks the others.
 *
 * @since 0.1
 */
public interface StockDrains extends InventoryContract {
  DrainOptions QUICK = DrainOptions.defaults().takeOver(Duration.ofSeconds(1)).attempts(2);

  private int deliveries(Inventory stock, String claimant) {
    return stock.find(claimant).map(Claim::deliveries).orElse(0);
  }

  private long waiting(Inventory stock) {
    return figures(stock).waiting();
  }

  @Test
  default void i3_everyClaimIsWrittenAndHeldFromThenOn() {
    Inventory stock = stock();
    stock.open(drained(50).hold(Duration.ofDays(1)));
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      ClaimResult result = stock.claim("claimant-" + i, 1, "r");
      assertThat(result.state()).isEqualTo(ClaimState.QUEUED);
      ids.add(result.claimId());
    }
    assertThat(figures(stock).queued()).isEqualTo(20);
    assertThat(stock.confirm("claimant-0", ids.get(0)))
        .as("nothing is final before it is durable")
        .isEqualTo(ClaimState.QUEUED);
    Ledger ledger = new Ledger();
    try (ClaimConsumer drain = stock.drain(QUICK.batch(7), ledger)) {
      eventually("all are written", () -> waiting(stock) == 0);
      assertThat(drain.stats().written()).isEqualTo(20);
      assertThat(drain.stats().refused()).isZero();
    }
    assertThat(ledger.orders().keySet()).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(figures(stock).held()).isEqualTo(20);
    assertThat(figures(stock).lag()).isZero();
    assertThat(stock.confirm("claimant-0", ids.get(0))).isEqualTo(ClaimState.CONFIRMED);
    assertThat(stock.cancel("claimant-1", ids.get(1))).isEqualTo(ClaimState.CANCELLED);
    Claim claim = stock.find("claimant-2").orElseThrow();
    assertThat(claim.deliveries()).isEqualTo(1);
    assertThat(figures(stock).left()).isEqualTo(31);
  }

  @Test
  default void i3_holdBeginsWhenTheClaimIsWritten() {
    Inventory stock = stock();
    stock.open(drained(5).hold(HOLD));
    accepted(stock, "ann");
    store().pass(HOLD.multipliedBy(2));
    assertThat(state(stock, "ann")).isEqualTo(ClaimState.QUEUED);
    assertThat(figures(stock).lag()).isGreaterThanOrEqualTo(HOLD);
    try (ClaimConsumer drain = stock.drain(QUICK, new Ledger())) {
      eventually("it is written", () -> drain.stats().written() == 1);
    }
    eventually("it is returned", () -> state(stock, "ann") == ClaimState.RETURNED);
    assertThat(figures(stock).left()).isEqualTo(5);
  }

  @Test
  default void i3_withoutHoldAClaimIsFinalOnceItIsWritten() {
    Inventory stock = stock();
    stock.open(drained(5));
    accepted(stock, "ann");
    try (ClaimConsumer drain = stock.drain(QUICK, new Ledger())) {
      eventually("it is written", () -> figures(stock).confirmed() == 1);
      accepted(stock, "bob");
      eventually("so is a later one", () -> figures(stock).confirmed() == 2);
      assertThat(drain.stats().written()).isEqualTo(2);
    }
  }

  @Test
  default void i3_severalConsumersShareTheClaims() throws Exception {
    Inventory stock = stock();
    int many = 300;
    stock.open(drained(many));
    Ledger ledger = new Ledger();
    List<ClaimConsumer> drains = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      drains.add(stock().drain(QUICK.batch(10), ledger));
    }
    List<Running<Integer>> running = new ArrayList<>();
    for (int thread = 0; thread < 3; thread++) {
      int first = thread * 100;
      Inventory seller = stock();
      running.add(
          start(
              () -> {
                for (int i = first; i < first + 100; i++) {
                  accepted(seller, "claimant-" + i);
                }
                return 0;
              }));
    }
    for (Running<Integer> each : running) {
      each.result();
    }
    eventually("all are written", () -> waiting(stock) == 0);
    drains.forEach(ClaimConsumer::close);
    assertThat(ledger.orders().values().stream().map(Claim::claimant).distinct().count())
        .isEqualTo(many);
    assertThat(drains.stream().mapToLong(drain -> drain.stats().written()).sum())
        .isGreaterThanOrEqualTo(many);
    assertThat(figures(stock).confirmed()).isEqualTo(many);
  }

  @Test
  default void i3_claimsOfADeadConsumerAreTakenOver() {
    Inventory stock = stock();
    stock.open(drained(9));
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      ids.add(accepted(stock, "claimant-" + i));
    }
    FlakyBackend line = line().next(TAKE, HOLDS_REPLY);
    Ledger nobody = new Ledger();
    over(line).drain(QUICK, nobody);
    until("it was given the claims", () -> deliveries(stock, "claimant-0") == 1);
    line.die();

    assertThat(stock.cancel("claimant-0", ids.get(0)))
        .as("a consumer may be writing it")
        .isEqualTo(ClaimState.QUEUED);
    Ledger ledger = new Ledger();
    try (ClaimConsumer drain = stock.drain(QUICK, ledger)) {
      eventually("all are written", () -> waiting(stock) == 0);
      assertThat(drain.stats().written()).isEqualTo(5);
    }
    assertThat(ledger.orders().keySet()).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(deliveries(stock, "claimant-0")).isEqualTo(2);
    assertThat(nobody.deliveries()).isZero();
  }

  @Test
  default void i3_claimThatIsGivenTwiceHasTheSameId() {
    Inventory stock = stock();
    stock.open(drained(9));
    long id = accepted(stock, "ann");
    Ledger ledger = new Ledger();
    FlakyBackend line = line().set(SETTLE, LOSES_REQUEST);
    over(line).drain(QUICK, ledger);
    eventually("it is written", () -> ledger.deliveries() == 1);
    try (ClaimConsumer drain = stock.drain(QUICK, ledger)) {
      eventually("it is settled", () -> waiting(stock) == 0);
      assertThat(drain.stats().written()).isEqualTo(1);
    }
    assertThat(ledger.deliveries()).isEqualTo(2);
    assertThat(ledger.orders()).containsOnlyKeys(id);
    line.heal();
    eventually("the late answer changes nothing", () -> figures(stock).confirmed() == 1);
  }

  @Test
  default void i3_lineThatFailsForAWhileLosesNothing() {
    FlakyBackend line = line();
    Inventory stock = over(line);
    stock.open(drained(40));
    Ledger ledger = new Ledger();
    line.next(TAKE, LOSES_REPLY).next(TAKE, LOSES_REQUEST).next(SETTLE, LOSES_REPLY);
    line.failWith(TAKE, new BackendException("away", null));
    for (int i = 0; i < 20; i++) {
      accepted(stock, "claimant-" + i);
    }
    try (ClaimConsumer drain = stock.drain(QUICK, ledger)) {
      eventually("it retries", () -> line.calls(TAKE) >= 3);
      line.failWith(TAKE, null);
      eventually("all are written", () -> waiting(stock) == 0);
      assertThat(drain.stats().refused()).isZero();
    }
    assertThat(ledger.orders()).hasSize(20);
    assertThat(figures(stock).confirmed()).isEqualTo(20);
  }

  @Test
  default void i3_claimThatCannotBeWrittenIsSetAsideAndHoldsUpNobody() {
    Inventory stock = stock();
    stock.open(drained(40));
    long poison = accepted(stock, "poison");
    for (int i = 0; i < 5; i++) {
      accepted(stock, "claimant-" + i);
    }
    Ledger ledger = new Ledger();
    DrainHandler handler =
        batch -> {
          if (batch.claims().stream().anyMatch(claim -> claim.claimant().equals("poison"))) {
            throw new IllegalArgumentException("no such account");
          }
          ledger.write(batch);
        };
    try (ClaimConsumer drain = stock.drain(QUICK, handler)) {
      eventually("the others are written", () -> drain.stats().written() == 5);
      accepted(stock, "late");
      eventually("it is set aside", () -> figures(stock).deadLetters() == 1);
      eventually("so is the late one written", () -> drain.stats().written() == 6);
      assertThat(drain.stats().refused()).isEqualTo(1);
      List<DeadLetter> aside = stock.deadLetters(10);
      assertThat(aside).hasSize(1);
      assertThat(aside.get(0).reason()).contains("no such account");
      assertThat(aside.get(0).claim())
          .returns(poison, Claim::id)
          .returns(ClaimState.DEAD_LETTER, Claim::state);
    }
    assertThat(figures(stock).left()).as("it keeps its unit").isEqualTo(33);
    assertThat(stock.claim("poison", 1, "other").outcome()).isEqualTo(Outcome.ALREADY_CLAIMED);

    assertThat(stock.requeue("poison", poison)).isEqualTo(ClaimState.QUEUED);
    assertThat(stock.deadLetters(10)).isEmpty();
    try (ClaimConsumer drain = stock.drain(QUICK, ledger)) {
      eventually("it is written", () -> drain.stats().written() == 1);
    }
    eventually("it is final", () -> state(stock, "poison") == ClaimState.CONFIRMED);
    assertThat(stock.requeue("poison", poison)).isEqualTo(ClaimState.CONFIRMED);
  }

  @Test
  default void i3_requestOfAClaimThatWasSetAsideGetsItUntilSomebodyHasGivenItUp() {
    Inventory stock = stock();
    stock.open(drained(5));
    ClaimResult first = stock.claim("ann", 2, "r1");
    DrainHandler handler =
        batch -> batch.claims().forEach(claim -> batch.deadLetter(claim, "no such account"));
    try (ClaimConsumer drain = stock.drain(QUICK, handler)) {
      eventually("it is set aside", () -> drain.stats().refused() == 1);
    }
    for (String request : List.of("r1", "other")) {
      assertThat(stock().claim("ann", 1, request))
          .isEqualTo(
              new ClaimResult(Outcome.ALREADY_CLAIMED, first.claimId(), ClaimState.DEAD_LETTER, 2));
    }
    assertThat(stock.confirm("ann", first.claimId()))
        .as("it has no order")
        .isEqualTo(ClaimState.DEAD_LETTER);
    assertThat(stock.cancel("ann", first.claimId())).isEqualTo(ClaimState.CANCELLED);
    ClaimResult givenUp = stock().claim("ann", 1, "r1");
    assertThat(givenUp)
        .isEqualTo(
            new ClaimResult(Outcome.ALREADY_CLAIMED, first.claimId(), ClaimState.CANCELLED, 2));
    assertThat(givenUp.isClaimed()).isFalse();
    assertThat(figures(stock).left()).isEqualTo(5);
    ClaimResult anew = stock.claim("ann", 1, "r2");
    assertThat(anew.outcome()).isEqualTo(Outcome.ACCEPTED);
    assertThat(anew.claimId()).isGreaterThan(first.claimId());
  }

  @Test
  default void i3_whatASlowConsumerWroteCountsThoughAnotherSetItAside() {
    Inventory stock = stock();
    stock.open(drained(5));
    List<ClaimMark> mark = List.of(new ClaimMark("ann", accepted(stock, "ann")));
    InventoryBackend raw = line().inventories();
    for (String consumer : List.of("slow", "other")) {
      store().pass(Duration.ofMillis(1)); // one that is idle longer than nothing is given again
      assertThat(ended(raw.take(NAME, consumer, 10, 0))).hasSize(1);
    }
    assertThat(settled(raw, "other", mark, Verdict.DEAD_LETTER)).isEqualTo(1);
    assertThat(settled(raw, "slow", mark, Verdict.REJECTED)).as("no longer its say").isZero();
    assertThat(state(stock, "ann")).isEqualTo(ClaimState.DEAD_LETTER);
    assertThat(settled(raw, "slow", mark, Verdict.WRITTEN)).isEqualTo(1);
    assertThat(state(stock, "ann")).isEqualTo(ClaimState.CONFIRMED);
    assertThat(figures(stock).deadLetters()).isZero();
    assertThat(stock.deadLetters(1)).isEmpty();
  }

  private int settled(
      InventoryBackend raw, String consumer, List<ClaimMark> marks, Verdict verdict) {
    return ended(raw.settle(NAME, consumer, marks, verdict, ""));
  }

  @Test
  default void i3_manyThatCannotBeWrittenHoldUpNobody() {
    poisonHoldsUpNobody(50);
  }

  @Test
  default void i3_poisonHoldsUpNobodyWhoIsTakenOneByOne() {
    poisonHoldsUpNobody(1);
  }

  private void poisonHoldsUpNobody(int size) {
    Inventory stock = stock();
    stock.open(drained(40));
    accepted(stock, "good");
    for (int i = 0; i < 4; i++) {
      accepted(stock, "poison-" + i);
    }
    Ledger ledger = new Ledger();
    DrainHandler handler =
        batch -> {
          if (batch.claims().stream().anyMatch(claim -> claim.claimant().startsWith("poison"))) {
            throw new IllegalArgumentException("no such account");
          }
          ledger.write(batch);
        };
    try (ClaimConsumer drain = stock.drain(QUICK.batch(size).attempts(2), handler)) {
      eventually("the first is written", () -> drain.stats().written() == 1);
      for (int i = 0; i < 3; i++) {
        int before = i + 1;
        accepted(stock, "late-" + i);
        eventually("so is one that came later", () -> drain.stats().written() == before + 1);
      }
      eventually("the others are set aside", () -> figures(stock).deadLetters() == 4);
    }
  }

  @Test
  default void i3_ledgerThatIsOutOfOrderSetsNothingAside() {
    Inventory stock = stock();
    stock.open(drained(40));
    for (int i = 0; i < 3; i++) {
      accepted(stock, "claimant-" + i);
    }
    AtomicInteger calls = new AtomicInteger();
    AtomicBoolean works = new AtomicBoolean();
    Ledger ledger = new Ledger();
    DrainHandler handler =
        batch -> {
          calls.incrementAndGet();
          if (!works.get()) {
            throw new IllegalStateException("no connection");
          }
          ledger.write(batch);
        };
    try (ClaimConsumer drain = stock.drain(QUICK, handler)) {
      eventually("it was tried often", () -> calls.get() >= 13);
      assertThat(drain.stats().written()).isZero();
      works.set(true);
      eventually("all are written", () -> waiting(stock) == 0);
      assertThat(drain.stats().refused()).isZero();
    }
    assertThat(ledger.orders()).hasSize(3);
    assertThat(figures(stock).confirmed()).isEqualTo(3);
  }

  @Test
  default void i3_rejectedClaimGivesItsUnitsBackOnce() {
    Inventory stock = stock();
    stock.open(drained(10));
    long ann = stock.claim("ann", 4, "r1").claimId();
    stock.claim("bob", 3, "r1");
    stock.claim("cid", 2, "r1");
    DrainHandler handler =
        batch -> {
          for (Claim claim : batch.claims()) {
            if (claim.claimant().equals("ann")) {
              batch.deadLetter(claim, "first this");
              batch.reject(claim, "then that");
            } else if (claim.claimant().equals("bob")) {
              batch.deadLetter(claim, "x".repeat(300));
            }
          }
          Claim foreign = claimLike(batch.claims().get(0));
          assertThatThrownBy(() -> batch.reject(foreign, "not yours"))
              .isInstanceOf(IllegalArgumentException.class);
        };
    try (ClaimConsumer drain = stock.drain(QUICK, handler)) {
      eventually("all are settled", () -> waiting(stock) == 0);
      assertThat(drain.stats().written()).isEqualTo(1);
      assertThat(drain.stats().refused()).isEqualTo(2);
    }
    InventoryInfo figures = figures(stock);
    assertThat(figures.left()).isEqualTo(5);
    assertThat(figures.deadLetters()).isEqualTo(3);
    assertThat(figures.confirmed()).isEqualTo(2);
    assertThat(figures.returned()).isEqualTo(1);
    assertThat(stock.cancel("ann", ann)).isEqualTo(ClaimState.CANCELLED);
    assertThat(stock.claim("ann", 1, "r1").state()).isEqualTo(ClaimState.CANCELLED);
    assertThat(stock.deadLetters(1).get(0).reason()).hasSize(200);
    long bob = stock.find("bob").orElseThrow().id();
    assertThat(stock.cancel("bob", bob)).isEqualTo(ClaimState.CANCELLED);
    assertThat(figures(stock).left()).isEqualTo(8);
    assertThat(stock.deadLetters(1)).isEmpty();
    assertThat(stock.claim("ann", 8, "r2").outcome()).isEqualTo(Outcome.ACCEPTED);
  }

  private Claim claimLike(Claim other) {
    return new Claim(
        other.epoch(), other.id() + 1, "stranger", 1, "r", other.state(), other.at(), 1);
  }

  @Test
  default void i3_claimThatWasGivenUpIsNotWritten() {
    Inventory stock = stock();
    stock.open(drained(5));
    long ann = accepted(stock, "ann");
    long bob = accepted(stock, "bob");
    assertThat(stock.cancel("ann", ann)).isEqualTo(ClaimState.CANCELLED);
    Ledger ledger = new Ledger();
    try (ClaimConsumer drain = stock.drain(QUICK, ledger)) {
      eventually("the other is written", () -> waiting(stock) == 0);
      assertThat(drain.stats().written()).isEqualTo(1);
    }
    assertThat(ledger.orders()).containsOnlyKeys(bob);
    assertThat(figures(stock).left()).isEqualTo(4);
  }

  @Test
  default void i3_closingWaitsForTheBatchThatIsBeingWritten() throws Exception {
    Inventory stock = stock();
    stock.open(drained(5));
    accepted(stock, "ann");
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Ledger ledger = new Ledger();
    ClaimConsumer drain =
        stock.drain(
            QUICK.batch(1),
            batch -> {
              begun.countDown();
              goOn.await();
              ledger.write(batch);
            });
    eventually("it has begun", () -> begun.getCount() == 0);
    accepted(stock, "bob");
    Running<Integer> closing =
        start(
            () -> {
              drain.close();
              return 0;
            });
    until("it waits", () -> closing.thread().getState() == Thread.State.WAITING);
    assertThat(ledger.deliveries()).isZero();
    goOn.countDown();
    closing.result();
    drain.close();
    assertThat(ledger.deliveries()).isEqualTo(1);
    assertThat(state(stock, "ann")).isEqualTo(ClaimState.CONFIRMED);
    assertThat(state(stock, "bob")).isEqualTo(ClaimState.QUEUED);
  }

  @Test
  default void i3_soldUnitsAndOrdersAreTheSameThroughRetriesAndRejections() throws Exception {
    int total = 40;
    Inventory stock = stock();
    stock.open(drained(total));
    ConcurrentLinkedQueue<Claim> rejected = new ConcurrentLinkedQueue<>();
    Map<Long, String> orders = new ConcurrentHashMap<>();
    AtomicInteger calls = new AtomicInteger();
    DrainHandler handler =
        batch -> {
          if (calls.incrementAndGet() % 5 == 0) {
            throw new IllegalStateException("deadlock victim");
          }
          for (Claim claim : batch.claims()) {
            if (claim.requestId().endsWith("0")) {
              batch.reject(claim, "not this one");
              rejected.add(claim);
            } else {
              orders.put(claim.id(), claim.claimant());
            }
          }
        };
    DrainOptions options = DrainOptions.defaults().batch(8).attempts(50);
    try (ClaimConsumer drain = stock.drain(options, handler);
        ClaimConsumer other = stock().drain(options, handler)) {
      AtomicInteger claims = new AtomicInteger();
      List<Running<Integer>> running = new ArrayList<>();
      for (int thread = 0; thread < 3; thread++) {
        Inventory seller = stock();
        running.add(
            start(
                () -> {
                  while (orders.size() < total) {
                    int number = claims.incrementAndGet();
                    seller.claim("claimant-" + number, 1, "r" + number);
                    Thread.yield();
                  }
                  return 0;
                }));
      }
      eventually("it is sold", () -> orders.size() >= total);
      for (Running<Integer> each : running) {
        each.result();
      }
      eventually("all is settled", () -> waiting(stock) == 0);
      assertThat(drain.stats().refused() + other.stats().refused())
          .isGreaterThanOrEqualTo(rejected.size());
    }
    assertThat(orders).hasSize(total);
    assertThat(orders.values()).doesNotHaveDuplicates();
    assertThat(figures(stock).confirmed()).isEqualTo(total);
    assertThat(figures(stock).left()).isZero();
  }
}
