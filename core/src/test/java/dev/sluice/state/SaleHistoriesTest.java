package dev.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inventory.ClaimResult;
import dev.sluice.inventory.ClaimResult.Outcome;
import dev.sluice.inventory.ClaimState;
import dev.sluice.inventory.InventoryInfo;
import dev.sluice.inventory.LedgerEntry;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.spi.ClaimMark;
import dev.sluice.spi.ClaimPage;
import dev.sluice.spi.ClaimRequest;
import dev.sluice.spi.ClaimRow;
import dev.sluice.spi.InventoryBackend;
import dev.sluice.spi.InventoryBackend.Verdict;
import dev.sluice.spi.SaleTerms;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Random histories of one stock, on a clock that also stands still and goes back: the sums hold
 * after every step, and no rule about claims is ever broken.
 */
class SaleHistoriesTest {
  private static final String NAME = "stock";
  private static final long HOLD = 1000;

  private long now = 1_000_000;
  private final MemoryBackend backend = new MemoryBackend(() -> now);
  private final InventoryBackend store = backend.inventories();
  private final Map<String, ClaimResult> byRequest = new HashMap<>();
  private final Set<Long> ids = new HashSet<>();
  private long lastId;

  private static <T> T of(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  @Test
  void sumsHoldAndNobodyIsServedTwice() {
    for (int seed = 0; seed < 200; seed++) {
      run(new Random(seed));
    }
  }

  private void run(Random random) {
    backend.clear();
    byRequest.clear();
    ids.clear();
    lastId = 0;
    boolean drained = random.nextBoolean();
    long total = random.nextInt(15);
    long hold = random.nextInt(4) == 0 ? 0 : HOLD;
    SaleTerms terms = new SaleTerms(1, total, hold, drained, 0, Long.MAX_VALUE);
    assertThat(of(store.open(NAME, terms)).done()).isTrue();
    boolean mayBeNegative = false;
    for (int step = 0; step < 150; step++) {
      now += random.nextInt(3) == 0 ? 0 : random.nextInt(400);
      now -= random.nextInt(40) == 0 ? 300 : 0;
      List<ClaimMark> marks = marks(random);
      switch (random.nextInt(12)) {
        case 0, 1, 2, 3 -> claim(random);
        case 4 -> of(store.confirm(NAME, marks.get(0)));
        case 5 -> of(store.cancel(NAME, marks.get(0)));
        case 6 -> of(store.expire(NAME, 1 + random.nextInt(5)));
        case 7 -> of(store.take(NAME, "c" + random.nextInt(2), 1 + random.nextInt(4), 700));
        case 8 -> {
          Verdict verdict = Verdict.values()[random.nextInt(3)];
          of(store.settle(NAME, "c" + random.nextInt(2), marks, verdict, "why"));
        }
        case 9 -> of(store.requeue(NAME, marks));
        case 10 -> {
          if (random.nextInt(4) == 0) {
            mayBeNegative = true;
            of(store.resize(NAME, 1, random.nextInt(15)));
          }
        }
        default -> {
          if (random.nextInt(4) == 0) {
            mayBeNegative = true;
            restore(random);
          }
        }
      }
      check(mayBeNegative);
    }
  }

  private List<ClaimMark> marks(Random random) {
    List<ClaimRow> rows = rows();
    if (rows.isEmpty()) {
      return List.of(new ClaimMark("nobody", 1));
    }
    return IntStream.range(0, 1 + random.nextInt(3))
        .mapToObj(i -> rows.get(random.nextInt(rows.size())))
        .map(row -> new ClaimMark(row.claimant(), row.id() + (random.nextInt(9) == 0 ? 1 : 0)))
        .toList();
  }

  private List<ClaimRow> rows() {
    List<ClaimRow> rows = new ArrayList<>();
    String after = "";
    do {
      ClaimPage page = of(store.page(NAME, after, 3));
      rows.addAll(page.rows());
      after = page.next();
    } while (!after.isEmpty());
    return rows;
  }

  private void claim(Random random) {
    List<ClaimRequest> requests =
        IntStream.range(0, 1 + random.nextInt(4))
            .mapToObj(
                i ->
                    new ClaimRequest(
                        "u" + random.nextInt(8), 1 + random.nextInt(3), "r" + random.nextInt(30)))
            .toList();
    List<ClaimResult> results = of(store.claim(NAME, requests)).results();
    for (int i = 0; i < requests.size(); i++) {
      ClaimResult result = results.get(i);
      String key = requests.get(i).claimant() + " " + requests.get(i).requestId();
      if (result.outcome() == Outcome.ACCEPTED) {
        assertThat(ids.add(result.claimId())).as("a new id").isTrue();
        assertThat(result.claimId()).isGreaterThan(lastId);
        lastId = result.claimId();
        byRequest.put(key, result);
      } else if (result.outcome() == Outcome.ALREADY_CLAIMED) {
        assertThat(result.claimId()).isPositive();
        if (!result.state().isLive()) { // then it is the very request
          assertThat(byRequest).containsKey(key);
          assertThat(result.claimId()).isEqualTo(byRequest.get(key).claimId());
        }
      } else {
        assertThat(result.claimId()).isZero();
      }
    }
  }

  private void restore(Random random) {
    ClaimState[] states = {ClaimState.HELD, ClaimState.CONFIRMED, ClaimState.CANCELLED};
    long id = lastId == 0 || random.nextBoolean() ? Math.max(lastId, now) + 50 : lastId;
    String claimant = "u" + random.nextInt(8);
    String request = "restored " + id;
    ClaimState state = states[random.nextInt(3)];
    of(
        store.restore(
            NAME,
            1,
            List.of(
                LedgerEntry.claimId(id)
                    .epoch(1)
                    .claimant(claimant)
                    .quantity(1)
                    .requestId(request)
                    .state(state))));
    lastId = Math.max(lastId, id);
    ids.add(id);
  }

  private void check(boolean mayBeNegative) {
    InventoryInfo figures = of(store.look(NAME)).info();
    List<ClaimRow> rows = rows();
    Map<ClaimState, Long> units = new HashMap<>();
    rows.forEach(row -> units.merge(row.state(), (long) row.quantity(), Long::sum));
    assertThat(rows.stream().map(ClaimRow::claimant)).doesNotHaveDuplicates();
    assertThat(figures.queued()).isEqualTo(units.getOrDefault(ClaimState.QUEUED, 0L));
    assertThat(figures.held()).isEqualTo(units.getOrDefault(ClaimState.HELD, 0L));
    assertThat(figures.confirmed()).isEqualTo(units.getOrDefault(ClaimState.CONFIRMED, 0L));
    assertThat(figures.deadLetters()).isEqualTo(units.getOrDefault(ClaimState.DEAD_LETTER, 0L));
    long live = figures.queued() + figures.held() + figures.confirmed() + figures.deadLetters();
    assertThat(figures.left()).isEqualTo(figures.total() - live);
    assertThat(figures.claims() - figures.returned())
        .isEqualTo(rows.stream().filter(row -> row.state().isLive()).count());
    assertThat(figures.waiting())
        .isEqualTo(rows.stream().filter(row -> row.state() == ClaimState.QUEUED).count());
    if (!mayBeNegative) {
      assertThat(figures.left()).isNotNegative();
    }
  }
}
