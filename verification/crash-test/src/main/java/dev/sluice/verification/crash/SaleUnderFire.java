package dev.sluice.verification.crash;

import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.flashsale.desk.BuyerReply;
import dev.sluice.flashsale.desk.BuyerReply.What;
import dev.sluice.flashsale.desk.Desk;
import dev.sluice.flashsale.desk.OrderBook;
import dev.sluice.flashsale.desk.Terms;
import dev.sluice.inventory.InventoryInfo;
import dev.sluice.inventory.Reconciliation;
import dev.sluice.servers.PostgresqlServer;
import dev.sluice.verification.crash.Answer.Verb;
import dev.sluice.verification.crash.Evidence.Loss;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import javax.sql.DataSource;
import org.springframework.core.NestedRuntimeException;

/** One sale, from its opening to its rest, while processes and servers are killed. */
final class SaleUnderFire implements AutoCloseable {
  private static final int BUYERS = 16;
  private static final Duration HOLD = Duration.ofMillis(1500);
  private static final Duration MAX_DURATION = Duration.ofSeconds(90);

  /** Two that sell and write, and one that only writes. */
  private static final int SELLERS = 3;

  private final CrashSettings settings;
  private final FallibleRedis redis;
  private final PostgresqlServer postgresql;
  private final SplittableRandom random;
  private final Terms terms;
  private final Sluice sluice;
  private final Desk desk;
  private final List<SellerProcess> sellers = new ArrayList<>();
  private final BuyerLoad crowd;
  private final ExecutorService executor =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "crash-hand");
            thread.setDaemon(true);
            return thread;
          });
  private final Queue<Loss> losses = new ConcurrentLinkedQueue<>();
  private final Queue<String> seen = new ConcurrentLinkedQueue<>();
  private final AtomicLong requeued = new AtomicLong();
  private final AtomicLong restored = new AtomicLong();
  private final AtomicLong underRepair = new AtomicLong();
  private final Map<String, Integer> kills = new TreeMap<>();
  private volatile boolean isOver;

  SaleUnderFire(
      CrashSettings settings,
      String name,
      FallibleRedis redis,
      PostgresqlServer postgresql,
      String databaseUrl,
      DataSource database,
      SplittableRandom random,
      Path log) {
    this.settings = settings;
    this.redis = redis;
    this.postgresql = postgresql;
    this.random = random;
    this.terms = new Terms(name, settings.stock(), HOLD);
    this.sluice = Sluice.connect(redis.uri());
    this.desk = new Desk(sluice, new OrderBook(database, name), terms);
    for (int i = 0; i < SELLERS; i++) {
      sellers.add(
          new SellerProcess(
              settings.program(),
              List.of(redis.uri(), databaseUrl, name, "" + terms.total(), "" + HOLD.toMillis()),
              log));
    }
    this.crowd = new BuyerLoad(name + "-b", sellers.subList(0, 2), BUYERS, random.split());
  }

  Map<String, Integer> kills() {
    return kills;
  }

  long admitted() {
    return crowd.admitted();
  }

  long restored() {
    return restored.get();
  }

  Evidence run(int count, BiConsumer<Integer, String> progress) throws InterruptedException {
    probe("before it was opened", desk.claim("early", "r1").toCompletableFuture().join());
    sellers.forEach(each -> executor.execute(each::start));
    await("the sellers to open", () -> desk.info().epoch() == 1);
    crowd.start();
    executor.execute(this::watch);
    for (int i = 0; i < count; i++) {
      TimeUnit.MILLISECONDS.sleep(random.nextInt(100, 350));
      killOne();
      progress.accept(i + 1, crowd.admitted() + " admitted");
    }
    return rest();
  }

  // --- kills ---

  private void killOne() throws InterruptedException {
    int dice = random.nextInt(100);
    if (settings.sellersOnly() || dice < 28) {
      int which = random.nextInt(SELLERS);
      SellerProcess seller = sellers.get(which);
      await("a seller to come back", seller::isUp);
      seller.kill();
      count(which == SELLERS - 1 ? "consumer" : "instance");
      executor.execute(seller::start);
    } else if (dice < 85) {
      losses.add(redis.kill(random));
      count("Redis");
      TimeUnit.MILLISECONDS.sleep(random.nextInt(50));
      redis.restart();
      repair();
    } else {
      postgresql.crash();
      count("PostgreSQL");
      TimeUnit.MILLISECONDS.sleep(random.nextInt(50));
      postgresql.restart();
    }
  }

  private void count(String what) {
    kills.merge(what, 1, Integer::sum);
  }

  /** What an operator does when the store has come back: beside the sale, which goes on. */
  private void repair() {
    underRepair.incrementAndGet();
    executor.execute(
        () -> {
          try {
            await("a repair", this::reconcile);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          } finally {
            underRepair.decrementAndGet();
          }
        });
  }

  private boolean reconcile() {
    desk.open();
    Reconciliation found = desk.reconcile();
    requeued.addAndGet(found.requeued());
    restored.addAndGet(found.restored());
    return true;
  }

  /** I1 holds always, not only in the end. */
  private void watch() {
    while (!isOver) {
      try {
        OrderBook.Count count = desk.book().count();
        if (count.live() > count.total() || count.left() + count.live() != count.total()) {
          seen.add("I1: while it went on, the database had " + count);
          return;
        }
        TimeUnit.MILLISECONDS.sleep(100);
      } catch (NestedRuntimeException e) {
        continue; // it is down
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  // --- rest ---

  /** Everybody pays, until nothing is left: then the sale ends, and what is under way comes in. */
  private Evidence rest() throws InterruptedException {
    await("the sellers", () -> sellers.stream().allMatch(SellerProcess::isUp));
    await("the repairs", () -> underRepair.get() == 0);
    await("the last repair", this::reconcile);
    crowd.payFromNowOn();
    // Buyers come without end. If this is not reached, the checker sees what is left.
    boolean isSoldOut =
        reaches(
            () -> {
              OrderBook.Count count = desk.book().count();
              return count.paid() == count.total();
            });
    String unsold = isSoldOut ? "" : unsold();
    crowd.stop();
    await("the end", () -> ended());
    for (SellerProcess seller : sellers) {
      BuyerReply told = seller.ask(Verb.CLAIM, "late", "r1");
      probe("after it was closed", told == null ? new BuyerReply(What.CLOSED, 0) : told);
    }
    reaches(() -> desk.info().waiting() == 0);
    await("a reconciliation", this::reconcile);
    isOver = true;
    InventoryInfo figures = desk.info();
    return new Evidence(
        terms.total(),
        crowd.answers(),
        List.copyOf(losses),
        desk.book().all(),
        desk.book().count(),
        figures,
        requeued.get(),
        figures.waiting(),
        unsold,
        List.copyOf(seen));
  }

  /** Where the units are that no buyer got, as far as is known. */
  private String unsold() {
    try {
      return desk.book().count()
          + ", "
          + desk.info()
          + ", not paid: "
          + desk.book().unpaid(Duration.ZERO, 0, 5);
    } catch (NestedRuntimeException | SluiceException e) {
      return e.toString();
    }
  }

  private boolean ended() {
    desk.end();
    return true;
  }

  /** I7: no claim is admitted before and after. */
  private void probe(String when, BuyerReply told) {
    if (told.what() != What.CLOSED && told.what() != What.SOLD_OUT) {
      seen.add("I7: " + when + " a buyer was told " + told);
    }
  }

  private interface Condition {
    boolean holds();
  }

  /** For what has to come, however busy the machine is. */
  private static void await(String what, Condition condition) throws InterruptedException {
    if (!reaches(MAX_DURATION, condition)) {
      throw new IllegalStateException("waited " + MAX_DURATION + " for " + what);
    }
  }

  /** For what a fault may keep from coming: the checker sees what is missing. */
  private boolean reaches(Condition condition) throws InterruptedException {
    return reaches(settings.patience(), condition);
  }

  private static boolean reaches(Duration most, Condition condition) throws InterruptedException {
    long end = System.nanoTime() + most.toNanos();
    while (true) {
      try {
        if (condition.holds()) {
          return true;
        }
      } catch (NestedRuntimeException | SluiceException e) {
        if (System.nanoTime() - end > 0) {
          return false;
        }
      }
      if (System.nanoTime() - end > 0) {
        return false;
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  @Override
  public void close() {
    isOver = true;
    try {
      crowd.stop();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    sellers.forEach(SellerProcess::close);
    executor.shutdownNow();
    desk.close();
    sluice.close();
  }
}
