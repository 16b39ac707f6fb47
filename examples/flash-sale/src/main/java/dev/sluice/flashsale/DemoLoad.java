package dev.sluice.flashsale;

import dev.sluice.flashsale.Sales.Detail;
import jakarta.annotation.PreDestroy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ResponseStatusException;

/**
 * Crowds of buyers: real requests over loopback to every instance in turn, bounded in number, in
 * time and in how many are under way. The strategies of a plan get their crowds one after the
 * other, and there is one plan at a time, over all instances on one database: any of them stops it.
 */
@Component
final class DemoLoad {
  private static final Logger LOG = LoggerFactory.getLogger(DemoLoad.class);
  private static final long SAMPLE_MILLIS = 250;
  private static final long MAX_END_SECONDS = 10;

  private final Sales sales;
  private final Ledger ledger;
  private final LimitedStock stock;
  private final Instance here;
  private final Duration timeLimit;
  private final ExecutorService threads = Executors.newFixedThreadPool(2, DemoLoad::daemon);
  private final ExecutorService planner = Executors.newSingleThreadExecutor(DemoLoad::daemon);
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(10))
          .executor(threads)
          .build();
  private final AtomicReference<@Nullable Plan> current = new AtomicReference<>();
  private final Map<String, Crowd> last = new ConcurrentHashMap<>();
  private volatile @Nullable String failure;
  private volatile boolean busyElsewhere;

  DemoLoad(Sales sales, Ledger ledger, LimitedStock stock, Instance here, SaleProperties settings) {
    this.sales = sales;
    this.ledger = ledger;
    this.stock = stock;
    this.here = here;
    this.timeLimit = settings.loadTimeLimit();
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "load");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * The size of a run: the number of buyers for each strategy.
   *
   * @param stock units put on offer before they come
   * @param requests one unit each, 1 to 200,000
   * @param concurrency concurrent requests, 1 to 500
   * @param tries how many of the requests each buyer sends, 1 to 1,000
   */
  record Spec(int stock, int requests, int concurrency, int tries) {
    Spec {
      SaleProperties.requireStock(stock);
      requireWithin("requests", requests, 200_000);
      requireWithin("concurrency", concurrency, 500);
      requireWithin("tries", tries, 1000);
    }

    int buyers() {
      return (requests + tries - 1) / tries;
    }

    private static void requireWithin(String name, int value, int most) {
      if (value < 1 || value > most) {
        throw new IllegalArgumentException("%s must be 1 to %d: %d".formatted(name, most, value));
      }
    }
  }

  /** Units that were sold after so many seconds. */
  record Point(double at, int sold) {}

  /**
   * The progress of a run, as its buyers saw it.
   *
   * @param result what the database held when the last of them had left; null before
   */
  record Progress(
      String strategy,
      long run,
      int requests,
      int concurrency,
      boolean running,
      RequestMeter.Reading answers,
      List<Point> curve,
      @Nullable Detail result) {}

  /**
   * The activity of the instances.
   *
   * @param busy whether a plan is under way, here or at another instance
   * @param waiting strategies whose crowds this instance sends next
   * @param failure why the last plan of this instance broke off, or null
   */
  record State(boolean busy, List<String> waiting, @Nullable String failure) {}

  /**
   * Resets strategies and lets buyers in, one strategy after the other.
   *
   * @return completes with the last crowd, when each of its buyers has an answer or the time is up
   * @throws ResponseStatusException if another plan is under way
   */
  CompletableFuture<@Nullable Progress> start(List<String> strategies, Spec spec) {
    strategies.forEach(sales::detail); // throws if there is no such strategy
    Plan plan = new Plan(spec, strategies);
    if (!current.compareAndSet(null, plan)) {
      throw isBusy();
    }
    boolean mine = false;
    try {
      mine = ledger.beginLoad(here.url());
    } finally {
      if (!mine) {
        current.set(null);
      }
    }
    if (!mine) {
      throw isBusy();
    }
    failure = null;
    return CompletableFuture.supplyAsync(plan::run, planner);
  }

  private static ResponseStatusException isBusy() {
    return new ResponseStatusException(
        HttpStatus.CONFLICT, "a load is running already: wait for its end, or stop it");
  }

  /** Lets no more buyers in, whichever instance does; those inside get their answer. */
  void stop() {
    stopHere();
    ledger.stopLoad();
  }

  private void stopHere() {
    Plan plan = current.get();
    if (plan != null) {
      plan.closed = true;
    }
  }

  /** Follows the other instances: one of them may run a load, or stop the one of this instance. */
  @Scheduled(fixedDelay = 250)
  void look() {
    Sales.orSayWhy(
        () -> {
          Plan plan = current.get(); // before the row, which may be of the next one
          Optional<Ledger.SharedLoad> seen = ledger.load();
          Optional<Ledger.SharedLoad> mine = seen.filter(load -> load.url().equals(here.url()));
          busyElsewhere = seen.isPresent() && mine.isEmpty();
          if (plan != null) {
            ledger.beatLoad(here.url());
            plan.closed |= mine.filter(Ledger.SharedLoad::stopped).isPresent();
          }
        });
  }

  State state() {
    Plan plan = current.get();
    return new State(
        plan != null || busyElsewhere,
        plan == null || plan.closed ? List.of() : List.copyOf(plan.waiting),
        failure);
  }

  /** {@return the progress of the strategy's latest crowd, if that is what the books show} */
  @Nullable Progress progress(String strategy) {
    Crowd crowd = last.get(strategy);
    return crowd == null || crowd.run != sales.detail(strategy).run() ? null : crowd.progress();
  }

  private List<String> targets() {
    List<String> instances = sales.instances();
    return instances.isEmpty() ? List.of(here.url()) : instances;
  }

  /**
   * Ends the plan under way, which needs the threads of the client and the database for that. Does
   * not interrupt it: H2 closes its file when a thread is interrupted inside of it.
   */
  @PreDestroy
  void close() {
    stopHere();
    planner.shutdown();
    try {
      planner.awaitTermination(MAX_END_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    threads.shutdownNow();
  }

  private final class Plan {
    final Spec spec;
    final Queue<String> waiting;
    volatile boolean closed;

    Plan(Spec spec, List<String> strategies) {
      this.spec = spec;
      this.waiting = new ConcurrentLinkedQueue<>(strategies);
    }

    @Nullable Progress run() {
      Progress end = null;
      try {
        for (String next = waiting.poll(); next != null && !closed; next = waiting.poll()) {
          Crowd crowd = new Crowd(this, next, sales.reset(next, spec.stock()).run(), targets());
          last.put(next, crowd);
          crowd.letIn();
          end = crowd.progress();
        }
        return end;
      } catch (InterruptedException | RuntimeException e) {
        failure = e.getMessage();
        LOG.debug("A crowd broke off", e);
        throw new IllegalStateException("the load broke off: " + e.getMessage(), e);
      } finally {
        closed = true;
        Sales.orSayWhy(() -> ledger.endLoad(here.url()));
        current.set(null);
      }
    }
  }

  private final class Crowd {
    final Plan plan;
    final Spec spec;
    final String strategy;
    final long run;
    final List<String> targets;
    final RequestMeter meter = new RequestMeter();
    final List<Point> curve = new CopyOnWriteArrayList<>();
    final AtomicInteger tickets = new AtomicInteger();
    final CountDownLatch inside;
    volatile @Nullable Detail result;
    long startNanos;

    Crowd(Plan plan, String strategy, long run, List<String> targets) {
      this.plan = plan;
      this.spec = plan.spec;
      this.strategy = strategy;
      this.run = run;
      this.targets = targets;
      this.inside = new CountDownLatch(Math.min(spec.concurrency(), spec.requests()));
    }

    private HttpRequest purchase(int ticket) {
      String buyer = Buyers.CROWD + strategy + "-" + run + "-" + ticket / spec.tries();
      return request(targets.get(ticket % targets.size()) + "/sale/" + strategy)
          .header(Buyers.HEADER, buyer)
          .header(Buyers.TOKEN, token(buyer))
          .header(Buyers.REQUEST, "" + ticket)
          .POST(HttpRequest.BodyPublishers.noBody())
          .build();
    }

    /** The buyers were here before the sale began, and have their tokens. */
    private String token(String buyer) {
      return strategy.equals(LimitedStock.STRATEGY)
          ? stock.gate().tokens().issue(buyer, LimitedStock.sale(run))
          : "";
    }

    private HttpRequest.Builder request(String url) {
      return HttpRequest.newBuilder(URI.create(url)).timeout(timeLimit);
    }

    /** Asks every instance for its figures first: answering, it notices the new run. */
    void letIn() throws InterruptedException {
      targets.stream()
          .map(url -> request(url + "/sale/" + strategy + "/detail").build())
          .map(detail -> http.sendAsync(detail, BodyHandlers.discarding()).handle((ok, no) -> 0))
          .toList()
          .forEach(CompletableFuture::join);
      sales.open(strategy);
      startNanos = System.nanoTime();
      for (long i = inside.getCount(); i > 0; i--) {
        next();
      }
      do {
        sample(sales.freshDetail(strategy));
      } while (!inside.await(SAMPLE_MILLIS, TimeUnit.MILLISECONDS));
      sales.settle(strategy);
      Detail end = sales.freshDetail(strategy);
      sample(end);
      result = end;
    }

    private void sample(Detail detail) {
      double seconds = (System.nanoTime() - startNanos) / 1e9;
      curve.add(new Point(Math.round(seconds * 100) / 100.0, detail.sold()));
    }

    /** One buyer after the other, until the tickets are out. */
    private void next() {
      int ticket = tickets.getAndIncrement();
      if (plan.closed
          || ticket >= spec.requests()
          || System.nanoTime() - startNanos >= timeLimit.toNanos()) {
        inside.countDown();
        return;
      }
      long start = System.nanoTime();
      http.sendAsync(purchase(ticket), BodyHandlers.ofString())
          .whenCompleteAsync(
              (response, failed) -> {
                meter.add(read(response), start, System.nanoTime());
                next();
              },
              threads);
    }

    private static RequestMeter.End read(@Nullable HttpResponse<String> response) {
      if (response == null || response.statusCode() != 200) {
        return response != null && response.statusCode() == 429
            ? RequestMeter.End.REFUSED
            : RequestMeter.End.FAILED;
      }
      if (response.body().contains("try again")) {
        return RequestMeter.End.FAILED;
      }
      return response.body().contains("sold out")
          ? RequestMeter.End.SOLD_OUT
          : RequestMeter.End.SOLD;
    }

    Progress progress() {
      Detail end = result; // first: a thread that leaves has counted the last answer
      return new Progress(
          strategy,
          run,
          spec.requests(),
          spec.concurrency(),
          end == null,
          meter.read(),
          List.copyOf(curve),
          end);
    }
  }
}
