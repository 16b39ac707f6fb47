package dev.sluice.flashsale.desk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.flashsale.desk.BuyerReply.What;
import dev.sluice.inventory.Claim;
import dev.sluice.inventory.ClaimState;
import dev.sluice.inventory.DrainOptions;
import dev.sluice.inventory.Inventory;
import dev.sluice.inventory.InventoryInfo;
import dev.sluice.inventory.Reconciliation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The inventory path on what needs no server: store in memory, database in memory. */
class DeskIT {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static TestDatabase database;
  private static int sales;

  private Sluice sluice;
  private Desk desk;

  @BeforeAll
  static void start() {
    database = TestDatabase.h2();
    Tables.create(database.pool());
  }

  @AfterAll
  static void stop() {
    database.close();
  }

  @BeforeEach
  void connect() {
    sluice = Sluice.connect("memory:" + UUID.randomUUID());
  }

  @AfterEach
  void close() {
    if (desk != null) {
      desk.close();
    }
    sluice.close();
  }

  private Desk open(int total, Duration hold) {
    Terms terms = new Terms("desk-" + ++sales, total, hold);
    desk = new Desk(sluice, new OrderBook(database.pool(), terms.sale()), terms);
    desk.open();
    return desk;
  }

  private BuyerReply claim(String buyer, String request) {
    return desk.claim(buyer, request).toCompletableFuture().join();
  }

  /** What a process does that ends between the store and the row. */
  private Inventory store() {
    return sluice.inventory("flash-sale/" + desk.terms().sale());
  }

  private BuyerReply awaitStatus(String buyer, What what) {
    return Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> desk.status(buyer), told -> told.what() == what);
  }

  @Test
  void queuedFirstAndOrderedOnceTheRowIsThere() throws Exception {
    open(5, LONG);
    BuyerReply queued = claim("ann", "r1");

    assertThat(queued.what()).isEqualTo(What.QUEUED);
    assertThat(desk.status("ann")).as("nothing is drained yet").isEqualTo(queued);
    assertThat(claim("ann", "r1")).as("the same request").isEqualTo(queued);
    assertThat(claim("ann", "r2")).as("another request").isEqualTo(queued);
    assertThat(desk.pay("ann", queued.claimId()).what()).isEqualTo(What.QUEUED);
    assertThat(desk.book().count().rows()).isZero();

    var told = new ConcurrentLinkedQueue<Claim>();
    desk.onOrders(told::addAll);
    desk.startDrain(DrainOptions.defaults());

    assertThat(awaitStatus("ann", What.ORDERED).claimId()).isEqualTo(queued.claimId());
    Awaitility.await().until(() -> !told.isEmpty());
    assertThat(told).extracting(Claim::claimant).containsExactly("ann");
    assertThat(desk.status("nobody").what()).isEqualTo(What.NOTHING);
  }

  @Test
  void aPaidOrderIsFinalHoweverOftenItIsPaidOrGivenUp() throws Exception {
    open(5, LONG).startDrain(DrainOptions.defaults());
    long claim = claim("ann", "r1").claimId();
    awaitStatus("ann", What.ORDERED);

    Awaitility.await().until(() -> desk.pay("ann", claim).what() == What.PAID);
    assertThat(desk.pay("ann", claim).what()).isEqualTo(What.PAID);
    assertThat(desk.cancel("ann", claim).what()).isEqualTo(What.PAID);
    assertThat(desk.book().count()).isEqualTo(new OrderBook.Count(5, 4, 1, 0, 1, 0, 0));
    assertThat(desk.info().confirmed()).isEqualTo(1);
  }

  @Test
  void whatIsGivenUpIsReturnedOnceAndSoldAgain() throws Exception {
    open(1, LONG).startDrain(DrainOptions.defaults());
    long claim = claim("ann", "r1").claimId();
    awaitStatus("ann", What.ORDERED);
    assertThat(claim("bob", "r1").what()).isEqualTo(What.SOLD_OUT);

    Awaitility.await().until(() -> desk.cancel("ann", claim).what() == What.CANCELLED);
    assertThat(desk.cancel("ann", claim).what()).isEqualTo(What.CANCELLED);
    assertThat(desk.pay("ann", claim).what()).isEqualTo(What.CANCELLED);

    Awaitility.await().until(() -> claim("bob", "r1").what() == What.QUEUED);
    awaitStatus("bob", What.ORDERED);
    assertThat(desk.book().count()).isEqualTo(new OrderBook.Count(1, 0, 1, 1, 0, 1, 0));
    assertThat(desk.info().left()).isZero();
  }

  @Test
  void whatIsNotPaidInTimeIsReturnedByBothStoreAndDatabase() throws Exception {
    open(1, Duration.ofSeconds(1)).startDrain(DrainOptions.defaults());
    claim("ann", "r1");
    awaitStatus("ann", What.CANCELLED);

    assertThat(desk.book().count()).isEqualTo(new OrderBook.Count(1, 1, 0, 0, 0, 1, 0));
    assertThat(desk.info().left()).isEqualTo(1);
    Awaitility.await().until(() -> desk.returned() == 1);
  }

  @Test
  void aPaymentThatWasConfirmedAndNotWrittenIsFinishedBeforeItCouldBeReturned() throws Exception {
    open(1, LONG).startDrain(DrainOptions.defaults());
    long claim = claim("ann", "r1").claimId();
    awaitStatus("ann", What.ORDERED);

    // here the process that confirmed ends, before it came to the row
    Awaitility.await().until(() -> store().confirm("ann", claim) == ClaimState.CONFIRMED);

    Terms impatient = new Terms(desk.terms().sale(), 1, Duration.ofSeconds(1));
    try (Desk other = new Desk(sluice, desk.book(), impatient)) {
      other.startDrain(DrainOptions.defaults());
      awaitStatus("ann", What.PAID);
    }
  }

  @Test
  void whoAsksFinishesWhatTheStoreHasDecidedAndTheRowHasNotHeardOf() throws Exception {
    open(5, LONG).startDrain(DrainOptions.defaults());
    long paid = claim("ann", "r1").claimId();
    long givenUp = claim("bob", "r1").claimId();
    awaitStatus("ann", What.ORDERED);
    awaitStatus("bob", What.ORDERED);
    Awaitility.await().until(() -> store().confirm("ann", paid) == ClaimState.CONFIRMED);
    Awaitility.await().until(() -> store().cancel("bob", givenUp) == ClaimState.CANCELLED);

    assertThat(desk.cancel("ann", paid).what()).isEqualTo(What.PAID);
    assertThat(desk.pay("bob", givenUp).what()).isEqualTo(What.CANCELLED);
    assertThat(desk.book().count()).isEqualTo(new OrderBook.Count(5, 4, 1, 0, 1, 1, 0));

    claim("bob", "r2");
    awaitStatus("bob", What.ORDERED);
    assertThat(desk.cancel("bob", givenUp).what()).as("the earlier one").isEqualTo(What.CANCELLED);
    assertThat(desk.pay("bob", givenUp).what()).isEqualTo(What.CANCELLED);
    assertThat(desk.status("bob").what()).as("the later one").isEqualTo(What.ORDERED);
  }

  /**
   * The process that gave them up ended before it came to the rows, and their buyers came again.
   */
  @Test
  void anOrderWhoseClaimTheStoreHasReplacedIsGivenUp() throws Exception {
    open(3, Duration.ofSeconds(1));
    Terms patient = new Terms(desk.terms().sale(), 3, LONG);
    long asked = claim("ann", "r1").claimId();
    long swept = claim("bob", "r1").claimId();
    try (Desk other = new Desk(sluice, desk.book(), patient)) { // drains, and does not sweep yet
      other.startDrain(DrainOptions.defaults());
      awaitStatus("ann", What.ORDERED);
      awaitStatus("bob", What.ORDERED);
      Awaitility.await().until(() -> !store().cancel("ann", asked).isLive());
      Awaitility.await().until(() -> !store().cancel("bob", swept).isLive());
      claim("ann", "r2");
      claim("bob", "r2");
      claim("cy", "r1");
      Awaitility.await().until(() -> desk.book().count().rejected() == 2);
      awaitStatus("cy", What.ORDERED);
    }
    assertThat(desk.book().count().pending()).isEqualTo(3);

    assertThat(desk.cancel("cy", asked).what()).as("not his").isEqualTo(What.NOTHING);
    assertThat(desk.cancel("ann", asked).what()).isEqualTo(What.CANCELLED);
    assertThat(desk.book().count()).isEqualTo(new OrderBook.Count(3, 1, 2, 2, 0, 1, 2));

    desk.startDrain(DrainOptions.defaults());
    Awaitility.await().until(() -> desk.book().count().cancelled() == 3);
    assertThat(desk.book().count()).isEqualTo(new OrderBook.Count(3, 3, 0, 0, 0, 3, 2));
  }

  @Test
  void ordersThatCannotBeReturnedKeepNobodyElseFromBeingSwept() throws Exception {
    Terms terms = new Terms("desk-" + ++sales, 20, Duration.ofSeconds(1));
    OrderBook book =
        new OrderBook(database.pool(), terms.sale()) {
          @Override
          public Optional<Order> cancel(String buyer, long claimId) {
            if (buyer.startsWith("stuck")) {
              throw new IllegalStateException("a test");
            }
            return super.cancel(buyer, claimId);
          }
        };
    desk = new Desk(sluice, book, terms);
    desk.open();
    for (int i = 0; i < 15; i++) { // more than a sweep tries before it takes it for an outage
      claim("stuck" + i, "r1");
    }
    claim("ann", "r1");
    desk.startDrain(DrainOptions.defaults());

    Awaitility.await().until(() -> desk.book().count().cancelled() == 1);
    assertThat(desk.book().count()).isEqualTo(new OrderBook.Count(20, 5, 15, 15, 0, 1, 0));
  }

  @Test
  void aCrowdGetsWhatThereIsThroughTwoDesks() throws Exception {
    open(100, LONG).startDrain(DrainOptions.defaults());
    try (Desk other = new Desk(sluice, desk.book(), desk.terms())) {
      other.open();
      other.startDrain(DrainOptions.defaults());
      List<CompletableFuture<BuyerReply>> answers =
          IntStream.range(0, 500)
              .mapToObj(i -> (i % 2 == 0 ? desk : other).claim("b" + i, "r1").toCompletableFuture())
              .toList();
      answers.forEach(CompletableFuture::join);

      assertThat(answers).filteredOn(a -> a.join().what() == What.QUEUED).hasSize(100);
      assertThat(answers).filteredOn(a -> a.join().what() == What.SOLD_OUT).hasSize(400);
      Awaitility.await().until(() -> desk.book().count().live() == 100);
      Awaitility.await().until(() -> desk.written() + other.written() == 100);
    }
  }

  @Test
  void nobodyGetsInBeforeAndAfter() throws Exception {
    Terms terms = new Terms("desk-" + ++sales, 5, LONG);
    desk = new Desk(sluice, new OrderBook(database.pool(), terms.sale()), terms);
    assertThat(claim("ann", "r1").what()).isEqualTo(What.CLOSED);

    desk.open();
    long claim = claim("ann", "r1").claimId();
    desk.end();
    desk.open();

    assertThat(claim("bob", "r1").what()).as("opening again is no new sale").isEqualTo(What.CLOSED);
    assertThat(claim("ann", "r1").claimId()).as("who was admitted").isEqualTo(claim);
    desk.startDrain(DrainOptions.defaults());
    awaitStatus("ann", What.ORDERED);
  }

  /** The store has lost what it decided, and then decided otherwise. */
  @Test
  void aStoreThatContradictsARowFollowsIt() throws Exception {
    open(5, LONG).startDrain(DrainOptions.defaults());
    long givenUp = claim("ann", "r1").claimId();
    long paid = claim("bob", "r1").claimId();
    awaitStatus("ann", What.ORDERED);
    awaitStatus("bob", What.ORDERED);
    desk.book().cancel("ann", givenUp);
    desk.book().pay("bob", paid);

    Awaitility.await().until(() -> desk.pay("ann", givenUp).what() == What.CANCELLED);
    Awaitility.await().until(() -> desk.cancel("bob", paid).what() == What.PAID);

    InventoryInfo figures = desk.info();
    assertThat(figures.left()).isEqualTo(4);
    assertThat(figures.confirmed()).isEqualTo(1);
    assertThat(desk.reconcile().isClean()).isTrue();
  }

  /** The store has lost all, the database nothing. */
  @Test
  void aStoreThatForgotIsToldByTheDatabase() throws Exception {
    open(3, LONG).startDrain(DrainOptions.defaults());
    long claim = claim("ann", "r1").claimId();
    awaitStatus("ann", What.ORDERED);
    Awaitility.await().until(() -> desk.pay("ann", claim).what() == What.PAID);

    try (Sluice empty = Sluice.connect("memory:" + UUID.randomUUID());
        Desk again = new Desk(empty, desk.book(), desk.terms())) {
      again.open();
      assertThat(again.info().left()).isEqualTo(3);

      assertThat(again.reconcile().restored()).isEqualTo(1);

      InventoryInfo figures = again.info();
      assertThat(figures.left()).isEqualTo(2);
      assertThat(figures.confirmed()).isEqualTo(1);
      BuyerReply repeated = again.claim("ann", "r1").toCompletableFuture().join();
      assertThat(repeated.claimId()).as("the same request").isEqualTo(claim);
      assertThat(again.reconcile().isClean()).isTrue();
    }
  }

  /**
   * The store has lost that a buyer gave an order up and claimed again; another store stands for
   * the lost time.
   */
  @Test
  void storeThatForgotALaterOrderOfABuyerRequeuesNoneThatWasGivenUp() throws Exception {
    open(3, LONG).startDrain(DrainOptions.defaults());
    claim("ann", "r1");
    awaitStatus("ann", What.ORDERED);
    Awaitility.await().until(() -> store().find("ann").orElseThrow().state() == ClaimState.HELD);
    final long later;
    try (Sluice lost = Sluice.connect("memory:" + UUID.randomUUID());
        Desk before = new Desk(lost, desk.book(), desk.terms())) {
      before.open();
      before.reconcile();
      before.cancel("ann", store().find("ann").orElseThrow().id());
      later = before.claim("ann", "r2").toCompletableFuture().join().claimId();
      before.startDrain(DrainOptions.defaults());
      Awaitility.await().until(() -> desk.book().find("ann", later).isPresent());
    }

    Reconciliation found = desk.reconcile();

    assertThat(found.requeued()).isZero();
    assertThat(found.conflicts()).isEmpty();
    assertThat(store().find("ann").orElseThrow().id()).isEqualTo(later);
    Awaitility.await().until(() -> desk.pay("ann", later).what() == What.PAID);
    assertThat(desk.reconcile().isClean()).isTrue();
  }
}
