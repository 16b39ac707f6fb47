package dev.sluice.testkit.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inventory.ClaimResult;
import dev.sluice.inventory.ClaimState;
import dev.sluice.inventory.InventoryInfo;
import dev.sluice.inventory.LedgerEntry;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.spi.Backend;
import dev.sluice.spi.ClaimMark;
import dev.sluice.spi.ClaimPage;
import dev.sluice.spi.ClaimRequest;
import dev.sluice.spi.ClaimRow;
import dev.sluice.spi.ClaimsReply;
import dev.sluice.spi.InventoryBackend;
import dev.sluice.spi.InventoryBackend.Verdict;
import dev.sluice.spi.SaleReply;
import dev.sluice.spi.SaleTerms;
import dev.sluice.testkit.Contract;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * Random histories on the store and on the decisions in memory: all replies must be equal, except
 * ids and times from the store's clock. No hold and no window ends meanwhile.
 *
 * @since 0.1
 */
public interface StockHistories extends Contract {
  String NAME = "model {stock}";
  long DAY = TimeUnit.DAYS.toMicros(1);
  long FAR = 253_402_300_799_000_000L;
  int CLAIMANTS = 12;

  /** The decisions in memory, and their results so far. */
  final class Model {
    private final MemoryBackend store = new MemoryBackend(() -> 1_000_000);
    private final Map<Long, Long> ids = new HashMap<>();
    private final List<String> trace = new ArrayList<>();
  }

  private Model model() {
    return kept(Model.class, Model::new);
  }

  private <T> T both(
      String what,
      Backend store,
      Function<InventoryBackend, CompletionStage<T>> onStore,
      Function<InventoryBackend, CompletionStage<T>> onModel,
      Function<T, Object> comparable) {
    T said = ended(onStore.apply(store.inventories()));
    T meant = ended(onModel.apply(model().store.inventories()));
    model().trace.add(what + " -> " + said);
    assertThat(comparable.apply(said)).as("%s", model().trace).isEqualTo(comparable.apply(meant));
    return said;
  }

  private <T> T both(
      String what,
      Backend store,
      Function<InventoryBackend, CompletionStage<T>> verb,
      Function<T, Object> comparable) {
    return both(what, store, verb, verb, comparable);
  }

  record Row(String claimant, int quantity, String request, ClaimState state, int given) {
    static Row of(ClaimRow row) {
      return new Row(
          row.claimant(), row.quantity(), row.requestId(), row.state(), row.deliveries());
    }
  }

  private List<Row> sorted(List<ClaimRow> rows) {
    return rows.stream().map(Row::of).sorted(Comparator.comparing(Row::claimant)).toList();
  }

  private Object timeless(SaleReply reply) {
    InventoryInfo known = reply.info();
    InventoryInfo figures =
        new InventoryInfo(
            known.epoch(),
            known.open(),
            known.total(),
            known.left(),
            known.queued(),
            known.held(),
            known.confirmed(),
            known.deadLetters(),
            known.claims(),
            known.returned(),
            known.waiting(),
            Duration.ZERO);
    return List.of(reply.done(), String.valueOf(reply.terms()), figures);
  }

  private Object timeless(ClaimsReply reply) {
    return List.of(
        reply.epoch(),
        reply.left(),
        reply.results().stream()
            .map(one -> List.of(one.outcome(), one.state(), one.quantity(), one.claimId() > 0))
            .toList());
  }

  private ClaimMark inModel(ClaimMark mark) {
    return new ClaimMark(mark.claimant(), model().ids.getOrDefault(mark.id(), mark.id()));
  }

  private List<ClaimMark> inModel(List<ClaimMark> marks) {
    return marks.stream().map(this::inModel).toList();
  }

  @Test
  default void i1_storeDecidesAsTheModelDoes() {
    for (long seed = 1; seed <= 4; seed++) {
      run(seed, line());
    }
  }

  private void run(long seed, Backend store) {
    Random random = new Random(seed);
    String name = NAME + seed;
    model().trace.clear();
    model().trace.add("seed " + seed);
    boolean drained = seed % 3 != 0;
    long hold = seed % 2 == 0 ? 0 : DAY;
    long[] epoch = {1};
    SaleTerms first = new SaleTerms(1, 12, hold, drained, 0, FAR);
    both("open", store, on -> on.open(name, first), this::timeless);
    Map<String, Long> ids = new HashMap<>();
    for (int step = 0; step < 100; step++) {
      String claimant = "c" + random.nextInt(CLAIMANTS);
      ClaimMark mark =
          new ClaimMark(
              claimant, ids.getOrDefault(claimant, 1L) + (random.nextInt(8) == 0 ? 1 : 0));
      List<ClaimMark> marks =
          random
              .ints(1 + random.nextInt(4), 0, CLAIMANTS)
              .distinct()
              .mapToObj(i -> new ClaimMark("c" + i, ids.getOrDefault("c" + i, 1L)))
              .toList();
      String consumer = "consumer-" + random.nextInt(2);
      switch (random.nextInt(15)) {
        case 0, 1, 2, 3, 4 -> claim(random, name, store, ids);
        case 5 ->
            both(
                "confirm " + mark,
                store,
                on -> on.confirm(name, mark),
                on -> on.confirm(name, inModel(mark)),
                state -> state);
        case 6 ->
            both(
                "cancel " + mark,
                store,
                on -> on.cancel(name, mark),
                on -> on.cancel(name, inModel(mark)),
                state -> state);
        case 7 -> // all of them: in which order those come that were queued again is the store's
            both("take " + consumer, store, on -> on.take(name, consumer, 1000, DAY), this::sorted);
        case 8, 9 -> {
          Verdict verdict = Verdict.values()[random.nextInt(3)];
          both(
              "settle " + consumer + marks + verdict,
              store,
              on -> on.settle(name, consumer, marks, verdict, "why"),
              on -> on.settle(name, consumer, inModel(marks), verdict, "why"),
              count -> count);
        }
        case 10 ->
            both(
                "queue again " + marks,
                store,
                on -> on.requeue(name, marks),
                on -> on.requeue(name, inModel(marks)),
                count -> count);
        case 11 -> restore(random, name, store, epoch[0], ids);
        case 12 -> {
          long total = random.nextInt(20);
          both("resize " + total, store, on -> on.resize(name, epoch[0], total), this::timeless);
        }
        case 13 ->
            both(
                "aside",
                store,
                on -> on.deadLetters(name, 1000),
                rows ->
                    List.of(
                        sorted(rows.stream().map(InventoryBackend.DeadLetterRow::claim).toList()),
                        rows.stream().map(InventoryBackend.DeadLetterRow::reason).toList()));
        default -> {
          if (random.nextInt(3) == 0) {
            both("close", store, on -> on.close(name, epoch[0]), this::timeless);
            SaleTerms next = new SaleTerms(epoch[0] + 1, 12, hold, random.nextBoolean(), 0, FAR);
            SaleReply reply = both("next", store, on -> on.open(name, next), this::timeless);
            epoch[0] += reply.done() ? 1 : 0;
          }
        }
      }
      both("look", store, on -> on.look(name), this::timeless);
    }
    List<ClaimRow> onStore = all(store.inventories(), name);
    assertThat(sorted(onStore))
        .as("%s", model().trace)
        .isEqualTo(sorted(all(model().store.inventories(), name)));
    for (ClaimRow row : onStore) {
      both(
          "find",
          store,
          on -> on.find(name, row.claimant()),
          found -> found == null ? "nothing" : Row.of(found));
    }
  }

  private void claim(Random random, String name, Backend store, Map<String, Long> ids) {
    List<ClaimRequest> requests = new ArrayList<>();
    for (int i = 1 + random.nextInt(5); i > 0; i--) {
      requests.add(
          new ClaimRequest(
              "c" + random.nextInt(CLAIMANTS), 1 + random.nextInt(3), "r" + random.nextInt(4)));
    }
    ClaimsReply said = ended(store.inventories().claim(name, requests));
    ClaimsReply meant = ended(model().store.inventories().claim(name, requests));
    model().trace.add("claim " + requests + " -> " + said);
    assertThat(timeless(said)).as("%s", model().trace).isEqualTo(timeless(meant));
    for (int i = 0; i < requests.size(); i++) {
      ClaimResult result = said.results().get(i);
      if (result.claimId() > 0) {
        ids.put(requests.get(i).claimant(), result.claimId());
        model().ids.put(result.claimId(), meant.results().get(i).claimId());
      }
    }
  }

  private void restore(
      Random random, String name, Backend store, long epoch, Map<String, Long> ids) {
    ClaimState[] states = {ClaimState.HELD, ClaimState.CONFIRMED, ClaimState.CANCELLED};
    List<LedgerEntry> orders = new ArrayList<>();
    List<LedgerEntry> inModel = new ArrayList<>();
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      String claimant = "c" + random.nextInt(CLAIMANTS);
      Long known = ids.get(claimant);
      if (known == null) {
        continue;
      }
      // a claim that is known; or one that is older than each, whose id is the same on both sides
      boolean old = random.nextInt(4) == 0;
      long id = old ? 1 + random.nextInt(9) : known;
      ClaimState state = states[random.nextInt(3)];
      orders.add(
          LedgerEntry.claimId(id)
              .epoch(epoch)
              .claimant(claimant)
              .quantity(2)
              .requestId("of the ledger")
              .state(state));
      inModel.add(
          LedgerEntry.claimId(old ? id : model().ids.getOrDefault(known, 0L))
              .epoch(epoch)
              .claimant(claimant)
              .quantity(2)
              .requestId("of the ledger")
              .state(state));
    }
    long at = random.nextInt(6) == 0 ? epoch + 1 : epoch;
    both(
        "restore " + orders,
        store,
        on -> on.restore(name, at, orders),
        on -> on.restore(name, at, inModel),
        reply -> List.of(reply.restored(), reply.settled(), sorted(reply.conflicts())));
  }

  private List<ClaimRow> all(InventoryBackend store, String name) {
    Map<String, ClaimRow> rows = new HashMap<>();
    String after = "";
    do {
      ClaimPage page = ended(store.page(name, after, 5));
      page.rows().forEach(row -> rows.put(row.claimant(), row));
      after = page.next();
    } while (!after.isEmpty());
    return List.copyOf(rows.values());
  }
}
