package dev.sluice.flashsale.desk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.flashsale.desk.Order.State;
import dev.sluice.inventory.Claim;
import dev.sluice.inventory.ClaimState;
import dev.sluice.inventory.DrainBatch;
import dev.sluice.servers.PostgresqlServer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.dao.DataAccessException;

/** The guards of the database, on each database that the sample runs on. */
@ParameterizedClass
@MethodSource("databases")
class OrderBookIT {
  private static final AtomicInteger SALES = new AtomicInteger();

  @Parameter TestDatabase database;

  static Stream<TestDatabase> databases() {
    return PostgresqlServer.isInstalled()
        ? Stream.<Supplier<TestDatabase>>of(TestDatabase::h2, TestDatabase::postgresql)
            .map(Supplier::get)
        : Stream.of(TestDatabase.h2());
  }

  @BeforeEach
  void tables() {
    Tables.create(database.pool()); // as each instance does
  }

  private OrderBook book(int total) {
    OrderBook book = new OrderBook(database.pool(), "sale-" + SALES.incrementAndGet());
    book.open(total);
    return book;
  }

  private static Claim claim(long id, String buyer) {
    return new Claim(1, id, buyer, 1, "r" + id, ClaimState.QUEUED, Instant.EPOCH, 1);
  }

  private static final class Batch implements DrainBatch {
    final List<Claim> claims;
    final Map<Long, String> rejected = new LinkedHashMap<>();

    Batch(Claim... claims) {
      this.claims = List.of(claims);
    }

    Batch(List<Claim> claims) {
      this.claims = claims;
    }

    @Override
    public List<Claim> claims() {
      return claims;
    }

    @Override
    public void reject(Claim claim, String reason) {
      rejected.put(claim.id(), reason);
    }

    @Override
    public void deadLetter(Claim claim, String reason) {
      throw new UnsupportedOperationException();
    }
  }

  @Test
  void aBatchIsWrittenOnceHoweverOftenItComes() throws Exception {
    OrderBook book = book(10);
    Batch batch = new Batch(claim(1, "ann"), claim(2, "bob"), claim(3, "cy"));

    assertThat(book.write(batch)).hasSize(3);
    assertThat(book.write(batch)).isEmpty();
    assertThat(book.write(new Batch(claim(3, "cy"), claim(4, "dee"))))
        .extracting(Claim::claimant)
        .containsExactly("dee");

    assertThat(batch.rejected).isEmpty();
    assertThat(book.count()).isEqualTo(new OrderBook.Count(10, 6, 4, 4, 0, 0, 0));
  }

  @Test
  void whatTheStockRowCannotGiveIsRejectedAndStaysSo() throws Exception {
    OrderBook book = book(2);
    Batch batch = new Batch(claim(1, "ann"), claim(2, "bob"), claim(3, "cy"));

    assertThat(book.write(batch)).extracting(Claim::id).containsExactly(1L, 2L);
    assertThat(batch.rejected).containsExactly(Map.entry(3L, "no units are left in the database"));
    assertThat(book.find("cy").orElseThrow().state()).isEqualTo(State.REJECTED);

    book.cancel("ann", 1);
    Batch again = new Batch(claim(3, "cy"));
    assertThat(book.write(again)).as("it has been decided").isEmpty();
    assertThat(again.rejected).containsKey(3L);
    assertThat(book.write(new Batch(claim(4, "cy")))).as("another claim").hasSize(1);
    assertThat(book.count()).isEqualTo(new OrderBook.Count(2, 0, 2, 2, 0, 1, 1));
  }

  @Test
  void aBuyerHasOneLiveOrder() throws Exception {
    OrderBook book = book(10);
    book.write(new Batch(claim(1, "ann")));

    Batch second = new Batch(claim(2, "ann"), claim(3, "bob"));
    assertThat(book.write(second)).extracting(Claim::id).containsExactly(3L);
    assertThat(second.rejected).containsExactly(Map.entry(2L, "the buyer has an order already"));
    assertThat(book.find("ann").orElseThrow().claimId()).as("the live one").isEqualTo(1);

    book.cancel("ann", 1);
    assertThat(book.write(new Batch(claim(4, "ann")))).hasSize(1);
    assertThat(book.find("ann").orElseThrow().claimId()).isEqualTo(4);
    assertThat(book.ledger())
        .extracting(entry -> entry.claimant() + entry.claimId() + entry.state())
        .as("all but the rejected one")
        .containsExactly("ann1CANCELLED", "bob3HELD", "ann4HELD");
  }

  @Test
  void payingAndCancellingExcludeEachOther() throws Exception {
    OrderBook book = book(10);
    book.write(new Batch(claim(1, "ann"), claim(2, "bob")));

    assertThat(book.pay("ann", 1).orElseThrow().state()).isEqualTo(State.PAID);
    assertThat(book.cancel("ann", 1).orElseThrow().state()).isEqualTo(State.PAID);
    assertThat(book.cancel("bob", 2).orElseThrow().state()).isEqualTo(State.CANCELLED);
    assertThat(book.cancel("bob", 2).orElseThrow().state()).as("again").isEqualTo(State.CANCELLED);
    assertThat(book.pay("bob", 2).orElseThrow().state()).isEqualTo(State.CANCELLED);
    assertThat(book.pay("zoe", 99)).isEmpty();
    assertThat(book.cancel("zoe", 99)).isEmpty();
    assertThat(book.count()).isEqualTo(new OrderBook.Count(10, 9, 1, 0, 1, 1, 0));
  }

  @Test
  void anOrderOfSomebodyElseIsNeitherTakenForOnesOwnNorChanged() throws Exception {
    OrderBook book = book(10);
    book.write(new Batch(claim(1, "ann")));

    assertThatThrownBy(() -> book.write(new Batch(claim(1, "bob"), claim(2, "cy"))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("claim 1 of sale '" + book.sale() + "' has an order of another buyer");
    assertThat(book.pay("bob", 1)).isEmpty();
    assertThat(book.cancel("bob", 1)).isEmpty();
    assertThat(book.count()).isEqualTo(new OrderBook.Count(10, 9, 1, 1, 0, 0, 0));
  }

  @Test
  void openingAgainLeavesARunningSaleAlone() throws Exception {
    OrderBook book = book(10);
    book.write(new Batch(claim(1, "ann")));

    book.open(10);
    book.open(500);

    assertThat(book.count()).isEqualTo(new OrderBook.Count(10, 9, 1, 1, 0, 0, 0));
  }

  @Test
  void onlyWhatIsOldAndNotPaidIsUnpaid() throws Exception {
    OrderBook book = book(10);
    book.write(new Batch(claim(1, "ann"), claim(2, "bob"), claim(3, "cy")));
    book.pay("ann", 1);
    book.cancel("bob", 2);

    assertThat(book.unpaid(Duration.ofHours(1), 0, 10)).isEmpty();
    assertThat(book.unpaid(Duration.ofMillis(-60_000), 0, 10))
        .extracting(Order::buyer)
        .containsExactly("cy");
    assertThat(book.unpaid(Duration.ofMillis(-60_000), 3, 10)).as("after that one").isEmpty();
  }

  /** Four drains, overlapping batches, fewer units than claims: the guards hold each other up. */
  @Test
  void drainsThatOverlapWriteEachClaimOnce() throws Exception {
    OrderBook book = book(150);
    List<Claim> claims = LongStream.rangeClosed(1, 200).mapToObj(i -> claim(i, "b" + i)).toList();
    ExecutorService drains = Executors.newFixedThreadPool(4);
    try {
      List<Callable<Void>> tasks = new ArrayList<>();
      for (int from = 0; from < 200; from += 20) {
        List<Claim> part = claims.subList(from, Math.min(200, from + 40));
        tasks.add(
            () -> {
              write(book, part);
              return null;
            });
      }
      for (Future<Void> end : drains.invokeAll(tasks)) {
        end.get();
      }
    } finally {
      drains.shutdownNow();
    }

    OrderBook.Count count = book.count();
    assertThat(count.live()).isEqualTo(150);
    assertThat(count.left()).isZero();
    assertThat(count.rows()).isEqualTo(200);
    assertThat(count.rejected()).isEqualTo(50);
  }

  /** As a drain does: what failed is written again. */
  private static void write(OrderBook book, List<Claim> claims) {
    for (int tries = 1; ; tries++) {
      try {
        book.write(new Batch(claims));
        return;
      } catch (DataAccessException e) {
        if (tries == 10) {
          throw e;
        }
      }
    }
  }

  @Test
  void aSaleWithoutAStockRowIsAnError() {
    OrderBook book = new OrderBook(database.pool(), "nowhere");

    assertThatThrownBy(() -> book.write(new Batch(claim(1, "ann"))))
        .isInstanceOf(DataAccessException.class)
        .hasMessage("no stock row for sale 'nowhere'");
    assertThatThrownBy(() -> new OrderBook(database.pool(), ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("sale must have 1 to 64 characters: ''");
  }
}
