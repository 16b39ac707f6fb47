package dev.sluice.flashsale;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.context.ConfigurableApplicationContext;

/** The sale in a terminal: every strategy once, and a table. */
final class Once {
  private final Sales sales;
  private final Load load;
  private final Load.Spec spec;
  private final int instances;
  private final PrintStream out;
  private final boolean terminal = System.console() != null;

  Once(List<ConfigurableApplicationContext> instances, Load.Spec spec, PrintStream out) {
    this.sales = instances.get(0).getBean(Sales.class);
    this.load = instances.get(0).getBean(Load.class);
    this.instances = instances.size();
    this.spec = spec;
    this.out = out;
  }

  /** {@return true if the lock sold exactly its stock and failed nobody} */
  boolean run() throws InterruptedException {
    sales.beat();
    print("%n%,d units, %,d buyers", spec.stock(), spec.buyers());
    if (spec.tries() > 1) {
      print(" with up to %,d tries each", spec.tries());
    }
    print(
        ", %d at a time, %d instance%s%n%n",
        spec.concurrency(), instances, instances == 1 ? "" : "s");
    print(
        "%-11s  %9s  %9s  %9s  %8s  %10s  %9s%n",
        "strategy", "sold", "oversold", "sold out", "errors", "requests/s", "p99 ms");
    boolean exact = false;
    long refused = 0;
    for (String strategy : sales.strategies()) {
      Load.Progress end = sell(strategy);
      sales.settle(strategy);
      Sales.Detail detail = sales.freshDetail(strategy);
      Meter.Reading answers = end.answers();
      print(
          "%-11s  %,9d  %,9d  %,9d  %,8d  %,10.0f  %,9.1f%n",
          strategy,
          detail.sold(),
          detail.oversold(),
          answers.soldOut(),
          answers.failed(),
          answers.perSecond(),
          answers.p99Millis());
      refused += answers.refused();
      if (strategy.equals("lock")) {
        exact =
            detail.sold() == Math.min(spec.stock(), spec.requests() - answers.refused())
                && answers.sold() == detail.sold()
                && answers.failed() == 0;
      }
    }
    if (refused > 0) {
      print("%n%,d requests were refused by the limit (429).%n", refused);
    }
    print(
        exact
            ? "%nThe lock sold exactly what there was.%n"
            : "%nThe lock did NOT sell exactly what there was.%n");
    return exact;
  }

  private Load.Progress sell(String strategy) throws InterruptedException {
    CompletableFuture<Load.Progress> end = load.start(strategy, spec);
    while (true) {
      try {
        Load.Progress progress = end.get(200, TimeUnit.MILLISECONDS);
        if (terminal) {
          print("\r\033[K");
        }
        return progress;
      } catch (TimeoutException running) {
        Load.Progress progress = load.progress(strategy);
        if (terminal && progress != null) {
          print("\r%-11s  %,d of %,d ", strategy, progress.answers().requests(), spec.requests());
        }
      } catch (ExecutionException e) {
        throw new IllegalStateException("the load broke off", e);
      }
    }
  }

  private void print(String format, Object... values) {
    out.printf(Locale.ROOT, format, values);
    out.flush();
  }
}
