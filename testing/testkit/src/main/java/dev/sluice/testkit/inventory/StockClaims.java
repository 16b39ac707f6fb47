package dev.sluice.testkit.inventory;

import static dev.sluice.testkit.FlakyBackend.Fault.HOLDS_REPLY;
import static dev.sluice.testkit.FlakyBackend.Fault.HOLDS_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REPLY;
import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Fault.REPEATS_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Verb.CLAIM;
import static dev.sluice.testkit.FlakyBackend.Verb.FINISH;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.Sluice;
import dev.sluice.inventory.Claim;
import dev.sluice.inventory.ClaimResult;
import dev.sluice.inventory.ClaimResult.Outcome;
import dev.sluice.inventory.ClaimState;
import dev.sluice.inventory.Inventory;
import dev.sluice.inventory.InventoryInfo;
import dev.sluice.inventory.InventoryOptions;
import dev.sluice.inventory.Sale;
import dev.sluice.memory.ManualTime;
import dev.sluice.spi.InventoryBackend;
import dev.sluice.testkit.FlakyBackend;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Tests of limited stock: never sold twice, one claim each, the same answer to the same request.
 *
 * @since 0.1
 */
public interface StockClaims extends InventoryContract {

  /** The longest time for which "sold out" and claimants may be cached. */
  Duration MEMO = Duration.ofSeconds(10);

  // ---- sales ----

  @Test
  default void stockThatNobodyLoadedSaysSo() {
    Inventory stock = stock();
    assertThat(stock.name()).isEqualTo(NAME);
    assertThat(stock.claim("ann", 1, "r").outcome()).isEqualTo(Outcome.NOT_LOADED);
    assertThat(stock.find("ann")).isEmpty();
    assertThat(stock.info().epoch()).isZero();
    assertThat(stock.info().open()).isFalse();
    assertThat(stock.close(1).epoch()).isZero();
    assertThatThrownBy(() -> stock.resize(Sale.epoch(1).total(5)))
        .isInstanceOf(IllegalStateException.class);
    assertThat(stock.confirm("ann", 1)).isEqualTo(ClaimState.UNKNOWN);
    assertThat(stock.cancel("ann", 1)).isEqualTo(ClaimState.UNKNOWN);
    assertThat(stock.requeue("ann", 1)).isEqualTo(ClaimState.UNKNOWN);
    assertThat(stock.deadLetters(10)).isEmpty();
  }

  @Test
  default void openingAgainChangesNothing() {
    Inventory stock = stock();
    Sale sale = Sale.epoch(1).total(3);
    assertThat(stock.open(sale).left()).isEqualTo(3);
    accepted(stock, "ann");
    assertThat(stock().open(sale).left()).isEqualTo(2);
    stock.resize(Sale.epoch(1).total(10));
    assertThat(stock().open(sale).left()).isEqualTo(9);
    assertThatThrownBy(() -> stock.open(Sale.epoch(1).total(4)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("other terms");
    assertThatThrownBy(() -> stock.open(sale.drained())).isInstanceOf(IllegalStateException.class);
    assertThat(stock.close(1).open()).isFalse();
    assertThat(stock.open(sale).open()).isFalse();
    assertThat(stock.claim("bob", 1, "r").outcome()).isEqualTo(Outcome.CLOSED);
    InventoryInfo figures = figures(stock);
    assertThat(figures.confirmed()).isEqualTo(1);
    assertThat(figures.claims()).isEqualTo(1);
  }

  @Test
  default void nextSaleWaitsUntilTheOneBeforeIsSettled() {
    Inventory stock = stock();
    stock.open(Sale.epoch(1).total(3).hold(Duration.ofDays(1)));
    long ann = accepted(stock, "ann");
    Sale next = Sale.epoch(2).total(5);
    assertThatThrownBy(() -> stock.open(next)).isInstanceOf(IllegalStateException.class);
    stock.close(1);
    assertThatThrownBy(() -> stock.open(next))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("1 held");
    assertThat(stock.confirm("ann", ann)).isEqualTo(ClaimState.CONFIRMED);
    InventoryInfo figures = stock.open(next);
    assertThat(figures.epoch()).isEqualTo(2);
    assertThat(figures.left()).isEqualTo(5);
    assertThat(figures.claims()).isZero();
    assertThat(stock.find("ann")).isEmpty();
    assertThat(accepted(stock, "ann")).isGreaterThan(ann);
    assertThatThrownBy(() -> stock.open(Sale.epoch(1).total(3).hold(Duration.ofDays(1))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("later");
    assertThat(stock.close(1).open()).as("another epoch goes on").isTrue();
    assertThatThrownBy(() -> stock.resize(Sale.epoch(1).total(9)))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  default void totalMayChange() {
    Inventory stock = stock();
    stock.open(Sale.epoch(1).total(2));
    accepted(stock, "ann");
    accepted(stock, "bob");
    assertThat(stock.resize(Sale.epoch(1).total(1)).left()).isEqualTo(-1);
    assertThat(stock.claim("cid", 1, "r").outcome()).isEqualTo(Outcome.SOLD_OUT);
    assertThat(stock.resize(Sale.epoch(1).total(3)).left()).isEqualTo(1);
    accepted(stock, "cid");
    assertThat(figures(stock).left()).isZero();
  }

  @Test
  default void saleHasAWindow() {
    Inventory stock = stock();
    Instant now = now();
    Instant begin = now.plus(Duration.ofHours(1));
    stock.open(Sale.epoch(1).total(2).between(begin, begin.plusSeconds(60)));
    assertThat(stock.claim("ann", 1, "r").outcome()).isEqualTo(Outcome.CLOSED);
    assertThat(stock.info().open()).isFalse();
    stock.close(1);

    stock.open(Sale.epoch(2).total(2).between(now.minusSeconds(60), now.plus(HOLD)));
    ClaimResult mine = stock.claim("ann", 1, "r");
    store().pass(HOLD.plusMillis(50));
    assertThat(stock.claim("bob", 1, "r").outcome()).isEqualTo(Outcome.CLOSED);
    if (mine.outcome() == Outcome.ACCEPTED) { // unless this machine was held up
      ClaimResult again = stock.claim("ann", 1, "other");
      assertThat(again.outcome()).isEqualTo(Outcome.ALREADY_CLAIMED);
      assertThat(again.claimId()).isEqualTo(mine.claimId());
    }
    assertThat(stock.open(Sale.epoch(3).total(1)).open()).as("closing it is not needed").isTrue();
  }

  /** The store's clock. */
  private Instant now() {
    Inventory other = client().inventory("clock");
    other.open(Sale.epoch(1).total(1));
    accepted(other, "tick");
    store().pass(Duration.ofMillis(1));
    return other.find("tick").map(Claim::at).orElseThrow();
  }

  // ---- claims ----

  @Test
  default void claimsEndWhenTheStockIsSoldOut() {
    Inventory stock = stock();
    stock.open(Sale.epoch(1).total(3));
    assertThat(stock.claim("ann", 2, "r1")).returns(2, ClaimResult::quantity);
    assertThat(stock.claim("bob", 2, "r2"))
        .as("all or none")
        .isEqualTo(new ClaimResult(Outcome.SOLD_OUT, 0, ClaimState.UNKNOWN, 0));
    ClaimResult cid = stock().claim("cid", 1, "r3");
    assertThat(cid.outcome()).isEqualTo(Outcome.ACCEPTED);
    assertThat(cid.state()).isEqualTo(ClaimState.CONFIRMED);
    assertThat(stock.claim("bob", 1, "r4").outcome()).isEqualTo(Outcome.SOLD_OUT);
    InventoryInfo figures = figures(stock);
    assertThat(figures.left()).isZero();
    assertThat(figures.confirmed()).isEqualTo(3);
    assertThat(figures.claims()).isEqualTo(2);
    assertThat(figures.returned()).isZero();
    Claim found = stock.find("cid").orElseThrow();
    assertThat(found.id()).isEqualTo(cid.claimId());
    assertThat(found.requestId()).isEqualTo("r3");
    assertThat(found.epoch()).isEqualTo(1);
    assertThat(found.quantity()).isEqualTo(1);
  }

  @Test
  default void i2_eachClaimantHasOneLiveClaim() {
    Inventory stock = stock();
    stock.open(Sale.epoch(1).total(9).hold(Duration.ofDays(1)));
    ClaimResult first = stock.claim("ann", 2, "r1");
    for (String request : List.of("r1", "r2")) {
      assertThat(stock().claim("ann", 5, request))
          .isEqualTo(new ClaimResult(Outcome.ALREADY_CLAIMED, first.claimId(), ClaimState.HELD, 2));
    }
    assertThat(figures(stock).held()).isEqualTo(2);
  }

  @Test
  default void i3_unitsComeBackOnceAndTheRequestClaimsNoMore() {
    Inventory stock = stock();
    stock.open(Sale.epoch(1).total(1).hold(Duration.ofDays(1)));
    ClaimResult first = stock.claim("ann", 1, "r1");
    assertThat(stock.claim("bob", 1, "r").outcome()).isEqualTo(Outcome.SOLD_OUT);
    assertThat(stock.cancel("ann", first.claimId() + 1)).isEqualTo(ClaimState.UNKNOWN);
    for (int i = 0; i < 3; i++) {
      assertThat(stock().cancel("ann", first.claimId())).isEqualTo(ClaimState.CANCELLED);
      assertThat(figures(stock).left()).isEqualTo(1);
    }
    ClaimResult again = stock.claim("ann", 1, "r1");
    assertThat(again.outcome()).isEqualTo(Outcome.ALREADY_CLAIMED);
    assertThat(again.state()).isEqualTo(ClaimState.CANCELLED);
    assertThat(again.isClaimed()).isFalse();
    ClaimResult second = stock.claim("ann", 1, "r2");
    assertThat(second.outcome()).isEqualTo(Outcome.ACCEPTED);
    assertThat(second.claimId()).isGreaterThan(first.claimId());
    assertThat(stock.cancel("ann", first.claimId())).isEqualTo(ClaimState.UNKNOWN);
    assertThat(stock.confirm("ann", second.claimId())).isEqualTo(ClaimState.CONFIRMED);
    assertThat(stock.confirm("ann", second.claimId())).isEqualTo(ClaimState.CONFIRMED);
    assertThat(stock.cancel("ann", second.claimId()))
        .as("what is final does not come back")
        .isEqualTo(ClaimState.CONFIRMED);
    assertThat(figures(stock).confirmed()).isEqualTo(1);
    assertThat(figures(stock).returned()).isEqualTo(1);
  }

  @Test
  default void unconfirmedClaimIsReturnedOnce() {
    Inventory stock = stock();
    stock.open(Sale.epoch(1).total(2).hold(HOLD));
    long ann = accepted(stock, "ann");
    long bob = accepted(stock, "bob");
    boolean inTime = stock.confirm("bob", bob) == ClaimState.CONFIRMED;
    eventually("it is returned", () -> state(stock, "ann") != ClaimState.HELD);
    assertThat(stock.confirm("ann", ann)).isEqualTo(ClaimState.RETURNED);
    assertThat(stock.cancel("ann", ann)).isEqualTo(ClaimState.RETURNED);
    InventoryInfo figures = figures(stock);
    assertThat(figures.confirmed()).isEqualTo(inTime ? 1 : 0);
    assertThat(figures.left()).isEqualTo(inTime ? 1 : 2);
    accepted(stock, "ann");
  }

  @Test
  default void unconfirmedClaimIsReturnedThoughNobodyAsksForIt() {
    FlakyBackend line = line();
    Inventory stock = over(line);
    stock.open(Sale.epoch(1).total(40).hold(HOLD));
    for (int i = 0; i < 40; i++) {
      accepted(stock, "claimant-" + i);
    }
    int before = line.calls(FlakyBackend.Verb.EXPIRE);
    eventually(
        "the sweep comes by twice", () -> line.calls(FlakyBackend.Verb.EXPIRE) >= before + 2);
    until("it has swept", () -> figures(stock).left() == 40);
  }

  @Test
  default void whoIsShortOfUnitsGetsThoseWhoseHoldIsOver() {
    FlakyBackend line = line().set(FlakyBackend.Verb.EXPIRE, LOSES_REQUEST);
    Inventory stock = over(line);
    stock.open(Sale.epoch(1).total(40).hold(HOLD));
    for (int i = 0; i < 40; i++) {
      accepted(stock, "claimant-" + i);
    }
    store().pass(HOLD.plusMillis(100));
    assertThat(stock.claim("ann", 16, "r1").outcome()).isEqualTo(Outcome.ACCEPTED);
  }

  /** Tests that one request ends the old hold of a claimant and begins another one of the same. */
  @Test
  default void whoClaimsAgainAfterHisHoldIsOverHoldsNoLongerThanOthers() {
    FlakyBackend line = line().set(FlakyBackend.Verb.EXPIRE, LOSES_REQUEST);
    Inventory stock = over(line);
    stock.open(Sale.epoch(1).total(2).hold(HOLD));
    for (int i = 0; i < 3; i++) {
      assertThat(stock.claim("ann", 2, "request-" + i).outcome()).isEqualTo(Outcome.ACCEPTED);
      store().pass(HOLD.plusMillis(100));
    }
    assertThat(figures(stock).left()).isEqualTo(2);
    assertThat(figures(stock).returned()).isEqualTo(3);
  }

  @Test
  default void unitsWhoseHoldIsOverComeBackOnceThoughSeveralProcessesSweep() throws Exception {
    int total = 60;
    FlakyBackend quiet = line().set(FlakyBackend.Verb.EXPIRE, LOSES_REQUEST);
    Inventory stock = over(quiet); // sweeps nothing itself
    stock.open(Sale.epoch(1).total(total).hold(HOLD));
    claimAll(stock, total);
    List<FlakyBackend> lines = List.of(line(), line(), line());
    CyclicBarrier together = new CyclicBarrier(lines.size());
    store().pass(HOLD.plusMillis(100));
    List<Running<Integer>> running = new ArrayList<>();
    for (FlakyBackend each : lines) {
      InventoryBackend swept = each.inventories();
      running.add(
          start(
              () -> {
                int returned = 0;
                for (int i = 0; i < 12; i++) {
                  together.await(AGES.toSeconds(), TimeUnit.SECONDS);
                  returned += ended(swept.expire(NAME, 10));
                }
                return returned;
              }));
    }
    int returned = 0;
    for (Running<Integer> each : running) {
      returned += each.result();
    }
    assertThat(returned).as("what the sweeps say").isEqualTo(total);
    assertThat(figures(stock).left()).isEqualTo(total);
    assertThat(figures(stock).returned()).isEqualTo(total);
  }

  /** One unit for each of many claimants, in two batches. */
  private void claimAll(Inventory stock, int many) throws Exception {
    List<CompletableFuture<ClaimResult>> claims =
        IntStream.range(0, many)
            .mapToObj(i -> stock.async().claim("claimant-" + i, 1, "r").toCompletableFuture())
            .toList();
    for (CompletableFuture<ClaimResult> each : claims) {
      assertThat(each.get().outcome()).isEqualTo(Outcome.ACCEPTED);
    }
  }

  // ---- lines ----

  @Test
  default void i2_claimWhoseAnswerIsLostIsMadeOnce() throws Exception {
    FlakyBackend line = line();
    Inventory stock = over(line);
    stock.open(Sale.epoch(1).total(5));
    line.next(CLAIM, LOSES_REPLY).next(CLAIM, LOSES_REQUEST);
    Running<ClaimResult> claiming = start(() -> stock.claim("ann", 1, "r1"));
    eventually("it is answered", claiming.future()::isDone);
    ClaimResult result = claiming.result();
    assertThat(result.isClaimed()).isTrue();
    line.next(CLAIM, REPEATS_REQUEST);
    assertThat(stock.claim("bob", 1, "r2").outcome()).isEqualTo(Outcome.ACCEPTED);
    assertThat(figures(stock).left()).isEqualTo(3);
    assertThat(figures(stock).claims()).isEqualTo(2);
    assertThat(stock.find("ann").orElseThrow().id()).isEqualTo(result.claimId());
  }

  @Test
  default void returnWhoseAnswerIsLostIsMadeOnce() {
    FlakyBackend line = line();
    Inventory stock = over(line);
    stock.open(Sale.epoch(1).total(5).hold(Duration.ofDays(1)));
    long ann = accepted(stock, "ann");
    line.next(FINISH, LOSES_REPLY);
    assertThat(stock.cancel("ann", ann)).isEqualTo(ClaimState.CANCELLED);
    line.next(FINISH, REPEATS_REQUEST);
    assertThat(stock.cancel("ann", ann)).isEqualTo(ClaimState.CANCELLED);
    assertThat(figures(stock).left()).isEqualTo(5);
    assertThat(figures(stock).returned()).isEqualTo(1);
  }

  @Test
  default void silenceIsNotARefusal() {
    FlakyBackend line = line();
    Sluice client = client(line);
    Duration brief = Duration.ofMillis(200);
    Inventory stock = client.inventory(NAME, InventoryOptions.defaults().timeout(brief));
    Inventory elsewhere = stock();
    elsewhere.open(Sale.epoch(1).total(5));
    line.set(CLAIM, HOLDS_REPLY);
    Running<ClaimResult> claiming = start(() -> stock.claim("ann", 1, "r"));
    eventually("it gives up", claiming.future()::isDone);
    assertThatThrownBy(claiming::result).cause().isInstanceOf(OutcomeUnknownException.class);
    until("the store has made it", () -> elsewhere.find("ann").isPresent());

    line.heal();
    line.failWith(CLAIM, new BackendException("refused", null));
    Running<ClaimResult> refused = start(() -> stock.claim("bob", 1, "r"));
    eventually("it gives up", refused.future()::isDone);
    assertThatThrownBy(refused::result)
        .cause()
        .isInstanceOf(BackendException.class)
        .isNotInstanceOf(OutcomeUnknownException.class);
    line.heal();
    store().pass(Duration.ofMillis(600)); // the longest pause between two tries
    Inventory patient = stock(client);
    assertThat(patient.claim("ann", 1, "r").outcome()).isEqualTo(Outcome.ALREADY_CLAIMED);
    assertThat(patient.claim("bob", 1, "r").outcome()).isEqualTo(Outcome.ACCEPTED);
  }

  @Test
  default void claimsOfSeveralThreadsTravelTogether() throws Exception {
    FlakyBackend line = line();
    Inventory stock = over(line);
    stock.open(Sale.epoch(1).total(30));
    line.set(CLAIM, HOLDS_REQUEST);
    List<Running<ClaimResult>> running = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      String claimant = "claimant-" + i;
      running.add(start(() -> stock.claim(claimant, 1, "r")));
    }
    until(
        "all have come",
        () -> running.stream().allMatch(each -> each.thread().getState() == Thread.State.WAITING));
    line.set(CLAIM, FlakyBackend.Fault.NONE);
    line.takeHeld().deliver();
    int accepted = 0;
    for (Running<ClaimResult> each : running) {
      accepted += each.result().outcome() == Outcome.ACCEPTED ? 1 : 0;
    }
    assertThat(accepted).isEqualTo(30);
    assertThat(line.calls(CLAIM)).isEqualTo(2);
  }

  @Test
  default void asyncFormsSayTheSame() throws Exception {
    Inventory stock = stock();
    stock.open(Sale.epoch(1).total(2).hold(Duration.ofDays(1)));
    ClaimResult ann = ended(stock.async().claim("ann", 1, "r"));
    ClaimResult bob = ended(stock.async().claim("bob", 1, "r"));
    assertThat(ann.outcome()).isEqualTo(Outcome.ACCEPTED);
    assertThat(ended(stock.async().claim("cid", 1, "r")).outcome()).isEqualTo(Outcome.SOLD_OUT);
    assertThat(ended(stock.async().confirm("ann", ann.claimId()))).isEqualTo(ClaimState.CONFIRMED);
    assertThat(ended(stock.async().cancel("bob", bob.claimId()))).isEqualTo(ClaimState.CANCELLED);
    ClaimResult chained =
        ended(
            stock
                .async()
                .claim("cid", 1, "r2")
                .thenApply(result -> stock.claim("cid", 1, "r2"))); // blocks, and may
    assertThat(chained.outcome()).isEqualTo(Outcome.ALREADY_CLAIMED);
  }

  @Test
  default void whatFollowsOneAnswerMayWaitForWhatFollowsAnother() throws Exception {
    FlakyBackend line = line();
    Inventory stock = over(line);
    stock.open(Sale.epoch(1).total(9));
    line.set(CLAIM, HOLDS_REQUEST);
    CountDownLatch all = new CountDownLatch(4);
    List<CompletableFuture<ClaimResult>> claims = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      claims.add(
          stock
              .async()
              .claim("claimant-" + i, 1, "r")
              .thenApply(
                  result -> {
                    all.countDown();
                    awaitAll(all);
                    return result;
                  })
              .toCompletableFuture());
    }
    line.set(CLAIM, FlakyBackend.Fault.NONE);
    line.takeHeld().deliver(); // the first one alone; then the others, together
    until("the queue is empty", () -> claims.stream().allMatch(CompletableFuture::isDone));
    for (CompletableFuture<ClaimResult> each : claims) {
      assertThat(each.get().outcome()).isEqualTo(Outcome.ACCEPTED);
    }
    assertThat(line.calls(CLAIM)).isEqualTo(2);
  }

  private void awaitAll(CountDownLatch all) {
    try {
      assertThat(all.await(AGES.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException failure) {
      throw new CompletionException(failure);
    }
  }

  // ---- sold out ----

  @Test
  default void soldOutIsAnsweredFromMemory() {
    FlakyBackend line = line();
    Duration lasts = Duration.ofSeconds(1);
    Inventory stock = client(line).inventory(NAME, InventoryOptions.defaults().soldOutMemo(lasts));
    Inventory elsewhere = stock();
    stock.open(Sale.epoch(1).total(3).hold(Duration.ofDays(1)));
    long ann = accepted(elsewhere, "ann");
    accepted(stock, "bob");
    accepted(elsewhere, "cid");
    until(
        "it is known",
        () -> {
          int before = line.calls(CLAIM);
          assertThat(stock.claim("dan", 1, "r").outcome()).isEqualTo(Outcome.SOLD_OUT);
          return line.calls(CLAIM) == before;
        });
    int before = line.calls();
    for (int i = 0; i < 100; i++) {
      assertThat(stock.claim("late-" + i, 1, "r").outcome()).isEqualTo(Outcome.SOLD_OUT);
    }
    assertThat(line.calls() - before).as("but for a refresh and a sweep").isLessThan(20);
    for (String claimant : List.of("ann", "bob", "cid")) {
      assertThat(stock.claim(claimant, 1, "other").outcome())
          .as(claimant)
          .isEqualTo(Outcome.ALREADY_CLAIMED);
    }
    elsewhere.cancel("ann", ann);
    eventually(
        "the unit is sold again", () -> stock.claim("eve", 1, "r").outcome() == Outcome.ACCEPTED);
    assertThat(figures(stock).left()).isZero();
  }

  @Test
  default void unitThatThisProcessGaveBackIsSoldAtOnce() {
    Duration lasts = Duration.ofSeconds(10);
    Inventory stock = client().inventory(NAME, InventoryOptions.defaults().soldOutMemo(lasts));
    stock.open(Sale.epoch(1).total(1).hold(Duration.ofDays(1)));
    String claimant = "first";
    for (int i = 0; i < 20; i++) {
      long id = accepted(stock, claimant);
      for (int late = 0; late < 5; late++) {
        assertThat(stock.claim("late", 1, "r").outcome()).isEqualTo(Outcome.SOLD_OUT);
      }
      stock.cancel(claimant, id);
      claimant = "claimant-" + i;
    }
    stock.resize(Sale.epoch(1).total(5));
    accepted(stock, "late");
  }

  @Test
  default void soldOutIsAskedAgainWithAgeThoughNobodySaysThatAUnitCameBack() {
    FlakyBackend line = line();
    ManualTime own = new ManualTime();
    Inventory stock = remembering(line, own);
    Inventory elsewhere = stock();
    stock.open(Sale.epoch(1).total(1).hold(Duration.ofDays(1)));
    long ann = accepted(elsewhere, "ann");
    untilRemembered(stock, line);
    assertThat(elsewhere.cancel("ann", ann)).isEqualTo(ClaimState.CANCELLED);
    int before = line.calls(CLAIM);
    own.advance(MEMO.minusNanos(1));
    assertThat(stock.claim("bob", 1, "r1").outcome()).isEqualTo(Outcome.SOLD_OUT);
    assertThat(line.calls(CLAIM)).as("from memory").isEqualTo(before);
    own.advance(Duration.ofNanos(1));
    assertThat(stock.claim("bob", 1, "r2").outcome()).isEqualTo(Outcome.ACCEPTED);
  }

  /** A store that lost its last claims and took others instead has as many as before. */
  @Test
  default void claimantWhoTookThePlaceOfALostOneIsNotToldSoldOutForGood() {
    FlakyBackend line = line();
    ManualTime own = new ManualTime();
    Inventory stock = remembering(line, own);
    Inventory elsewhere = stock();
    Sale sale = Sale.epoch(1).total(1);
    stock.open(sale);
    accepted(elsewhere, "ann");
    untilRemembered(stock, line);
    store().loseData();
    elsewhere.open(sale);
    long bob = accepted(elsewhere, "bob");
    own.advance(MEMO.multipliedBy(2));
    untilRemembered(stock, line);
    ClaimResult again = stock.claim("bob", 1, "r");
    assertThat(again.outcome()).isEqualTo(Outcome.ALREADY_CLAIMED);
    assertThat(again.claimId()).isEqualTo(bob);
  }

  /** The stock of a process whose own clock, which is not the store's, stands still. */
  private Inventory remembering(FlakyBackend line, ManualTime own) {
    return client(line, builder -> builder.time(own, own))
        .inventory(NAME, InventoryOptions.defaults().soldOutMemo(MEMO));
  }

  /** Claims until "sold out" is answered from memory. */
  private void untilRemembered(Inventory stock, FlakyBackend line) {
    until(
        "it is known",
        () -> {
          int before = line.calls(CLAIM);
          assertThat(stock.claim("late", 1, newRequest()).outcome()).isEqualTo(Outcome.SOLD_OUT);
          return line.calls(CLAIM) == before;
        });
  }

  // ---- input ----

  @Test
  default void oddTextsAreKept() {
    String claimant = "\u0000{ann}%20 \ud83d\ude00'; -- ";
    String longest = "é".repeat(256);
    String name = "st\u00f6ck/{%}\t ";
    Inventory stock = client().inventory(name);
    stock.open(Sale.epoch(1).total(9));
    for (String each : List.of(claimant, longest, " ", "ann", "Ann", "ann ")) {
      long id = accepted(stock, each);
      assertThat(stock.find(each).orElseThrow())
          .returns(id, Claim::id)
          .returns(each, Claim::claimant);
    }
    String request = "\ud83d\ude00".repeat(32);
    stock.claim("bob", 1, request);
    assertThat(stock.find("bob").orElseThrow().requestId()).isEqualTo(request);
    assertThat(figures(stock).confirmed()).isEqualTo(7);
  }

  @Test
  default void badInputIsRefusedBeforeTheStore() {
    FlakyBackend line = line();
    Inventory stock = over(line);
    int before = line.calls();
    assertRefused("claimant", () -> stock.claim("", 1, "r"));
    assertRefused("claimant", () -> stock.claim("x".repeat(513), 1, "r"));
    assertRefused("claimant", () -> stock.claim("\ud83d", 1, "r"));
    assertRefused("claimant", () -> stock.find(""));
    assertRefused("quantity must be 1", () -> stock.claim("ann", 0, "r"));
    assertRefused("quantity", () -> stock.claim("ann", Inventory.MAX_QUANTITY + 1, "r"));
    assertRefused("requestId", () -> stock.claim("ann", 1, ""));
    assertRefused("requestId", () -> stock.claim("ann", 1, "x".repeat(129)));
    assertRefused("requestId", () -> stock.async().claim("ann", 1, "x".repeat(129)));
    assertRefused("claimId", () -> stock.confirm("ann", 0));
    assertRefused("claimId", () -> stock.cancel("ann", -1));
    assertRefused("epoch", () -> stock.close(0));
    assertRefused("total", () -> stock.resize(Sale.epoch(1).total(-1)));
    assertRefused("limit", () -> stock.deadLetters(0));
    assertThat(line.calls()).isEqualTo(before);
  }

  private void assertRefused(String what, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(what);
  }

  @Test
  default void closedClientSaysSo() {
    Sluice client = client();
    Inventory stock = stock(client);
    stock.open(Sale.epoch(1).total(1));
    client.close();
    client.close();
    assertThatThrownBy(() -> stock.claim("ann", 1, "r")).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(stock::info).isInstanceOf(IllegalStateException.class);
  }

  @Test
  default void closingEndsEveryWait() {
    FlakyBackend line = line().set(CLAIM, HOLDS_REPLY);
    Sluice client = client(line);
    Inventory stock = stock(client);
    stock.open(Sale.epoch(1).total(1));
    Running<ClaimResult> claiming = start(() -> stock.claim("ann", 1, "r"));
    line.failWith(FINISH, new BackendException("away", null)); // so it pauses between its tries
    Running<ClaimState> giving = start(() -> stock.cancel("ann", 1));
    until("both wait", () -> line.heldCalls() == 1 && line.calls(FINISH) > 1);
    client.close();
    assertThatThrownBy(claiming::result).cause().isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(giving::result).cause().isInstanceOf(IllegalStateException.class);
  }

  // ---- many concurrently ----

  @Test
  default void i1_manyWhoClaimAtOnceGetWhatThereIs() throws Exception {
    int total = 120;
    stock().open(Sale.epoch(1).total(total).hold(Duration.ofDays(1)));
    List<Inventory> stocks = List.of(stock(), client().inventory(NAME), stock());
    Map<String, Set<Long>> ids = new HashMap<>();
    ConcurrentLinkedQueue<Map.Entry<String, ClaimResult>> answers = new ConcurrentLinkedQueue<>();
    List<Running<Integer>> running = new ArrayList<>();
    for (int thread = 0; thread < 6; thread++) {
      int first = thread * 50;
      Inventory stock = stocks.get(thread % stocks.size());
      running.add(
          start(
              () -> {
                for (int i = 0; i < 100; i++) { // so two threads claim for each claimant
                  String claimant = "claimant-" + (first + i) % 300;
                  answers.add(Map.entry(claimant, stock.claim(claimant, 1, "of " + claimant)));
                }
                return 0;
              }));
    }
    for (Running<Integer> each : running) {
      each.result();
    }
    int accepted = 0;
    for (Map.Entry<String, ClaimResult> answer : answers) {
      accepted += answer.getValue().outcome() == Outcome.ACCEPTED ? 1 : 0;
      if (answer.getValue().claimId() > 0) {
        ids.computeIfAbsent(answer.getKey(), name -> new HashSet<>())
            .add(answer.getValue().claimId());
      }
    }
    assertThat(accepted).isEqualTo(total);
    assertThat(ids).hasSize(total).allSatisfy((name, of) -> assertThat(of).as(name).hasSize(1));
    assertThat(ids.values().stream().flatMap(Set::stream).distinct().count()).isEqualTo(total);
    ids.entrySet().stream()
        .limit(20)
        .forEach(
            each ->
                assertThat(stocks.get(0).claim(each.getKey(), 1, "of " + each.getKey()).claimId())
                    .isIn(each.getValue()));
    InventoryInfo figures = figures(stocks.get(0));
    assertThat(figures.left()).isZero();
    assertThat(figures.held()).isEqualTo(total);
    assertThat(figures.claims()).isEqualTo(total);
  }

  @Test
  default void manyWhoClaimAndGiveUpLeaveTheSumRight() throws Exception {
    int total = 5;
    stock().open(Sale.epoch(1).total(total).hold(Duration.ofDays(1)));
    List<Running<Integer>> running = new ArrayList<>();
    for (int thread = 0; thread < 4; thread++) {
      Inventory stock = client().inventory(NAME);
      String claimant = "claimant-" + thread;
      running.add(
          start(
              () -> {
                int kept = 0;
                for (int i = 0; i < 25; i++) {
                  String who = claimant + "-" + i;
                  ClaimResult result = stock.claim(who, 1, "r");
                  if (result.outcome() == Outcome.ACCEPTED) {
                    if (i % 8 == 7 && stock.confirm(who, result.claimId()).isLive()) {
                      kept++;
                    } else {
                      assertThat(stock.cancel(who, result.claimId()).isLive()).isFalse();
                    }
                  }
                }
                return kept;
              }));
    }
    int kept = 0;
    for (Running<Integer> each : running) {
      kept += each.result();
    }
    InventoryInfo figures = figures(stock());
    assertThat(kept).isBetween(0, total);
    assertThat(figures.confirmed()).isEqualTo(kept);
    assertThat(figures.left()).isEqualTo(total - kept);
    assertThat(figures.claims() - figures.returned()).isEqualTo(kept);
    IntStream.range(0, total - kept).forEach(i -> accepted(stock(), "rest-" + i));
  }

  @Test
  default void namesOfStocksAreKnown() {
    stock().open(Sale.epoch(1).total(1));
    client().inventory("other").open(Sale.epoch(1).total(1));
    Sluice client = client();
    assertThat(client.inspect().inventoryNames(100).names())
        .containsExactlyInAnyOrder(NAME, "other");
    assertThat(client.inspect().inventoryNames(1).names()).hasSize(1);
    assertRefused("limit", () -> client.inspect().inventoryNames(0).names());
  }
}
