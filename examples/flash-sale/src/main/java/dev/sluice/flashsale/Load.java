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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * A crowd of buyers: real requests over loopback to every instance in turn, bounded in number, in
 * time and in how many are under way. One crowd at a time.
 */
@Component
final class Load {
  private final Sales sales;
  private final LimitedStock stock;
  private final Instance here;
  private final Duration timeLimit;
  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          2,
          task -> {
            Thread thread = new Thread(task, "load");
            thread.setDaemon(true);
            return thread;
          });
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(10))
          .executor(threads)
          .build();
  private final AtomicReference<@Nullable Crowd> current = new AtomicReference<>();
  private final Map<String, Crowd> last = new ConcurrentHashMap<>();

  Load(Sales sales, LimitedStock stock, Instance here, SaleProperties settings) {
    this.sales = sales;
    this.stock = stock;
    this.here = here;
    this.timeLimit = settings.loadTimeLimit();
  }

  /**
   * How many buyers come.
   *
   * @param stock units put on offer before they come
   * @param requests one unit each, 1 to 200,000
   * @param concurrency requests under way at once, 1 to 500
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

  /** How far a crowd has come, as the buyers saw it. */
  record Progress(
      String strategy,
      long run,
      int requests,
      int concurrency,
      boolean running,
      double seconds,
      Meter.Reading answers) {}

  /**
   * Resets a strategy and lets the buyers in.
   *
   * @return completes when the last one has an answer or the time is up
   * @throws LoadBusyException if another crowd is still there
   */
  CompletableFuture<Progress> start(String strategy, Spec spec) throws InterruptedException {
    long run = sales.freshDetail(strategy).run();
    Crowd crowd = new Crowd(strategy, spec, run + 1, targets());
    if (!current.compareAndSet(null, crowd)) {
      throw new LoadBusyException();
    }
    try {
      Detail fresh = sales.reset(strategy, spec.stock());
      crowd.run = fresh.run();
      last.put(strategy, crowd);
      return crowd.letIn();
    } catch (RuntimeException | InterruptedException e) {
      current.compareAndSet(crowd, null);
      throw e;
    }
  }

  /** Lets no more buyers in; those inside get their answer. */
  void stop() {
    Crowd crowd = current.get();
    if (crowd != null) {
      crowd.closed = true;
    }
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

  @PreDestroy
  void close() {
    stop();
    threads.shutdownNow();
  }

  private final class Crowd {
    final String strategy;
    final Spec spec;
    final List<String> targets;
    final Meter meter = new Meter();
    final AtomicInteger tickets = new AtomicInteger();
    final AtomicInteger inside;
    final CompletableFuture<Progress> end = new CompletableFuture<>();
    volatile long run;
    volatile long startNanos = System.nanoTime();
    volatile boolean closed;

    Crowd(String strategy, Spec spec, long run, List<String> targets) {
      this.strategy = strategy;
      this.spec = spec;
      this.run = run;
      this.targets = targets;
      this.inside = new AtomicInteger(Math.min(spec.concurrency(), spec.requests()));
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
    CompletableFuture<Progress> letIn() {
      CompletableFuture<?>[] ready =
          targets.stream()
              .map(url -> request(url + "/sale/" + strategy + "/detail").build())
              .map(detail -> http.sendAsync(detail, BodyHandlers.discarding()))
              .toArray(CompletableFuture<?>[]::new);
      CompletableFuture.allOf(ready)
          .whenComplete(
              (ok, failure) -> {
                startNanos = System.nanoTime();
                for (int i = inside.get(); i > 0; i--) {
                  next();
                }
              });
      return end;
    }

    /** One buyer after the other, until the tickets are out. */
    private void next() {
      int ticket = tickets.getAndIncrement();
      if (closed
          || ticket >= spec.requests()
          || System.nanoTime() - startNanos >= timeLimit.toNanos()) {
        leave();
        return;
      }
      long start = System.nanoTime();
      http.sendAsync(purchase(ticket), BodyHandlers.ofString())
          .whenCompleteAsync(
              (response, failure) -> {
                meter.add(read(response), start, System.nanoTime());
                next();
              },
              threads);
    }

    private static Meter.End read(@Nullable HttpResponse<String> response) {
      if (response == null || response.statusCode() != 200) {
        return response != null && response.statusCode() == 429
            ? Meter.End.REFUSED
            : Meter.End.FAILED;
      }
      if (response.body().contains("try again")) {
        return Meter.End.FAILED;
      }
      return response.body().contains("sold out") ? Meter.End.SOLD_OUT : Meter.End.SOLD;
    }

    private void leave() {
      if (inside.decrementAndGet() == 0) {
        current.compareAndSet(this, null);
        end.complete(progress());
      }
    }

    Progress progress() {
      boolean running = inside.get() > 0; // first: whoever leaves has counted his last answer
      Meter.Reading answers = meter.read();
      double seconds =
          running
              ? (System.nanoTime() - startNanos) / 1e9
              : answers.perSecond() == 0 ? 0 : answers.requests() / answers.perSecond();
      return new Progress(
          strategy, run, spec.requests(), spec.concurrency(), running, seconds, answers);
    }
  }
}
