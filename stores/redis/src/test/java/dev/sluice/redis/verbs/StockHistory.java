package dev.sluice.redis.verbs;

import dev.sluice.inventory.ClaimState;
import dev.sluice.inventory.LedgerEntry;
import dev.sluice.inventory.Sale;
import dev.sluice.spi.ClaimMark;
import dev.sluice.spi.ClaimRequest;
import dev.sluice.spi.InventoryBackend;
import dev.sluice.spi.InventoryBackend.Verdict;
import dev.sluice.spi.SaleTerms;
import dev.sluice.state.ClaimTable;
import dev.sluice.state.SaleState;
import dev.sluice.state.StoredClaim;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Random steps of one stock, and the answer of {@link SaleState} to each. Later steps are about
 * claims that earlier ones made.
 */
final class StockHistory {
  private static final long EPOCH = 1_795_201_234_567_890L;
  private static final long NEVER = 253_402_300_799_000_000L;
  private static final long[] HOLDS = {0, 1_000_000, 60_000_000};
  private static final ClaimState[] ORDERS = {
    ClaimState.HELD, ClaimState.CONFIRMED, ClaimState.CANCELLED
  };

  /** Longer than any history. */
  private static final long AGES = 1_000_000_000_000_000L;

  /** A question to the store, put at some time, and the answer that is right. */
  record Step(long now, String text, Verb verb, Object expected) {}

  /** Asks a store. */
  @FunctionalInterface
  interface Verb {
    CompletionStage<?> ask(InventoryBackend stocks);
  }

  private final SplittableRandom random;
  private final String name;
  private final SaleState state = new SaleState();
  private final Claims claims = new Claims();
  private final List<Step> steps = new ArrayList<>();
  private long now = EPOCH;
  private long latest = EPOCH;
  private int requests;

  private StockHistory(String name, long seed) {
    this.name = name;
    this.random = new SplittableRandom(seed);
  }

  static List<Step> of(String name, long seed, int steps) {
    StockHistory history = new StockHistory(name, seed);
    while (history.steps.size() < steps) {
      history.passTime();
      history.step();
    }
    return history.steps;
  }

  private void passTime() {
    int percent = random.nextInt(100);
    if (percent < 40) {
      now += random.nextInt(3);
    } else if (percent < 80) {
      now += random.nextInt(600_000);
    } else if (percent < 95) {
      now += HOLDS[random.nextInt(HOLDS.length)] + random.nextInt(3) - 1;
    } else {
      now -= random.nextInt(3_000_000);
    }
    latest = Math.max(latest, now);
  }

  private void add(String text, Verb verb, Object expected) {
    steps.add(new Step(now, text, verb, expected == null ? "nothing" : expected));
  }

  private void step() {
    int verb = random.nextInt(100);
    if (steps.isEmpty() || verb < 5) {
      open();
    } else if (verb < 7) {
      long epoch = epoch();
      add("close " + epoch, s -> s.close(name, epoch), state.close(now, epoch, claims));
    } else if (verb < 10) {
      long epoch = epoch();
      long total = random.nextInt(12);
      add(
          "resize " + epoch + " " + total,
          s -> s.resize(name, epoch, total),
          state.resize(now, epoch, total, claims));
    } else if (verb < 15) {
      add("look", s -> s.look(name), state.look(now, claims));
    } else if (verb < 45) {
      claim();
    } else if (verb < 53) {
      ClaimMark mark = mark();
      add("confirm " + mark, s -> s.confirm(name, mark), state.confirm(now, mark, claims));
    } else if (verb < 61) {
      ClaimMark mark = mark();
      add("cancel " + mark, s -> s.cancel(name, mark), state.cancel(now, mark, claims));
    } else if (verb < 64) {
      String who = claimant();
      add("find " + who, s -> s.find(name, who), state.find(now, who, claims));
    } else if (verb < 68) {
      int limit = 1 + random.nextInt(3);
      add("expire " + limit, s -> s.expire(name, limit), state.expire(now, limit, claims));
    } else if (verb < 78) {
      take();
    } else if (verb < 88) {
      settle();
    } else if (verb < 91) {
      int limit = 1 + random.nextInt(3);
      add("aside " + limit, s -> s.deadLetters(name, limit), state.deadLetters(limit, claims));
    } else if (verb < 95) {
      List<ClaimMark> marks = marks();
      add("again " + marks, s -> s.requeue(name, marks), state.requeue(now, marks, claims));
    } else {
      restore();
    }
  }

  private long epoch() {
    return random.nextInt(5) == 0 ? 1 + random.nextInt(4) : Math.max(1, state.epoch());
  }

  private void open() {
    long epoch = Math.max(1, state.epoch() + random.nextInt(3) - (random.nextInt(4) == 0 ? 1 : 0));
    SplittableRandom one = new SplittableRandom(epoch * 31 + name.hashCode()); // often the same
    boolean window = one.nextInt(3) == 0;
    SaleTerms terms =
        new SaleTerms(
            epoch,
            2 + one.nextInt(random.nextInt(6) == 0 ? 9 : 8),
            HOLDS[one.nextInt(HOLDS.length)],
            one.nextInt(3) > 0,
            window ? EPOCH + one.nextInt(20_000_000) : 0,
            window ? EPOCH + 50_000_000 + one.nextInt(900_000_000) : NEVER + one.nextInt(1000));
    add("open " + terms, s -> s.open(name, terms), state.open(now, terms, claims));
  }

  private String claimant() {
    return "c" + random.nextInt(8);
  }

  private void claim() {
    List<ClaimRequest> batch = new ArrayList<>();
    int size = random.nextInt(3) == 0 ? 1 + random.nextInt(6) : 1;
    for (int i = 0; i < size; i++) {
      int request = random.nextInt(3) == 0 ? random.nextInt(requests + 1) : ++requests;
      batch.add(new ClaimRequest(claimant(), 1 + random.nextInt(3), "r" + request));
    }
    add("claim " + batch, s -> s.claim(name, batch), state.claim(now, batch, claims));
  }

  private ClaimMark mark() {
    String who = claimant();
    StoredClaim last = claims.get(who);
    long id = last == null ? 1 : last.row().id();
    return new ClaimMark(who, random.nextInt(12) == 0 ? id + 1 : id);
  }

  private List<ClaimMark> marks() {
    List<ClaimMark> marks = new ArrayList<>();
    int size = 1 + random.nextInt(4);
    for (int i = 0; i < size; i++) {
      marks.add(mark());
    }
    return marks;
  }

  private String consumer() {
    return "d" + random.nextInt(2);
  }

  private void take() {
    boolean over = random.nextInt(3) == 0;
    if (over) {
      now = latest; // the server's own clock tells what is idle, and it does not go back here
    }
    String consumer = consumer();
    int limit = 1 + random.nextInt(4);
    long idle = over ? 0 : AGES;
    add(
        "take " + consumer + " " + limit + (over ? " over" : ""),
        s -> s.take(name, consumer, limit, idle),
        state.take(now, consumer, limit, idle, claims));
  }

  private void settle() {
    String consumer = consumer();
    List<ClaimMark> marks = marks();
    int which = random.nextInt(6);
    Verdict verdict =
        which < 3 ? Verdict.WRITTEN : which < 4 ? Verdict.REJECTED : Verdict.DEAD_LETTER;
    String reason = random.nextInt(4) == 0 ? "" : "because of ü " + which;
    add(
        "settle " + consumer + " " + marks + " " + verdict,
        s -> s.settle(name, consumer, marks, verdict, reason),
        state.settle(now, consumer, marks, verdict, reason, claims));
  }

  private void restore() {
    List<LedgerEntry> orders = new ArrayList<>();
    int size = 1 + random.nextInt(4);
    for (int i = 0; i < size; i++) {
      ClaimMark mark = mark();
      long id = random.nextInt(3) == 0 ? Math.max(1, mark.id() + random.nextInt(5) - 2) : mark.id();
      if (random.nextInt(20) == 0) {
        id = Math.min(Sale.MAX, id + random.nextLong(2 * SaleState.MAX_AHEAD_MICROS));
      }
      orders.add(
          LedgerEntry.claimId(id)
              .epoch(1)
              .claimant(mark.claimant())
              .quantity(1 + random.nextInt(3))
              .requestId("r" + random.nextInt(requests + 1))
              .state(ORDERS[random.nextInt(ORDERS.length)]));
    }
    long epoch = epoch();
    add(
        "restore " + epoch + " " + orders,
        s -> s.restore(name, epoch, orders),
        state.restore(now, epoch, orders, claims));
  }

  /** Claims in the order of a stream: what is queued again stands at its end. */
  private static final class Claims implements ClaimTable {
    private final Map<String, StoredClaim> last = new HashMap<>();
    private final Map<String, Long> places = new HashMap<>();
    private long nextPlace;

    @Override
    public StoredClaim get(String claimant) {
      return last.get(claimant);
    }

    @Override
    public void put(StoredClaim claim) {
      String claimant = claim.row().claimant();
      StoredClaim before = last.put(claimant, claim);
      if (is(claim, ClaimState.QUEUED) && (before == null || !is(before, ClaimState.QUEUED))) {
        places.put(claimant, nextPlace++);
      }
    }

    private static boolean is(StoredClaim claim, ClaimState state) {
      return claim.row().state() == state;
    }

    @Override
    public void clear() {
      last.clear();
    }

    private Stream<StoredClaim> in(ClaimState state) {
      return last.values().stream().filter(claim -> is(claim, state));
    }

    private Stream<StoredClaim> queued(Predicate<StoredClaim> which) {
      return in(ClaimState.QUEUED)
          .filter(which)
          .sorted(Comparator.comparing(claim -> places.get(claim.row().claimant())));
    }

    @Override
    public List<StoredClaim> due(long now, int limit) {
      return in(ClaimState.HELD)
          .filter(claim -> claim.dueAt() <= now)
          .sorted(
              Comparator.comparingLong(StoredClaim::dueAt)
                  .thenComparing(claim -> claim.row().claimant()))
          .limit(limit)
          .toList();
    }

    @Override
    public List<StoredClaim> taken(long until, int limit) {
      return queued(claim -> claim.takenAt() != 0 && claim.takenAt() <= until)
          .limit(limit)
          .toList();
    }

    @Override
    public List<StoredClaim> untaken(int limit) {
      return queued(claim -> claim.takenAt() == 0).limit(limit).toList();
    }

    @Override
    public List<StoredClaim> aside(int limit) {
      return in(ClaimState.DEAD_LETTER)
          .sorted(
              Comparator.<StoredClaim>comparingLong(claim -> claim.row().id())
                  .thenComparing(claim -> claim.row().claimant()))
          .limit(limit)
          .toList();
    }

    @Override
    public long oldestQueued() {
      return queued(claim -> true).findFirst().map(claim -> claim.row().at()).orElse(0L);
    }
  }
}
