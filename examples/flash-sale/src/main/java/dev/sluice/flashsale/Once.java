package dev.sluice.flashsale;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;

/** The sale in a terminal: every strategy once, and a table. */
final class Once {
  private final Sales sales;
  private final DemoLoad load;
  private final DemoLoad.Spec spec;
  private final PrintStream out;
  private final BooleanSupplier stopped;
  private final boolean terminal = System.console() != null;

  Once(
      ConfigurableApplicationContext instance,
      DemoLoad.Spec spec,
      PrintStream out,
      BooleanSupplier stopped) {
    this.sales = instance.getBean(Sales.class);
    this.load = instance.getBean(DemoLoad.class);
    this.spec = spec;
    this.out = out;
    this.stopped = stopped;
  }

  /**
   * {@return true if the lock sold exactly its stock and failed no buyer}
   *
   * @throws CancellationException if it was stopped
   */
  boolean run() throws InterruptedException {
    sales.beat();
    print(
        "%-11s  %9s  %9s  %8s  %9s  %9s  %s%n",
        "strategy", "sold", "sold out", "errors", "orders/s", "p99 ms", "verdict");
    boolean exact = false;
    long refused = 0;
    for (String strategy : sales.strategies()) {
      DemoLoad.Progress end = sell(strategy);
      Sales.Detail result = end.result() != null ? end.result() : sales.freshDetail(strategy);
      RequestMeter.Reading answers = end.answers();
      long due = Math.min(spec.stock(), answers.requests() - answers.refused());
      print(
          "%-11s  %,9d  %,9d  %,8d  %,9.0f  %,9.1f  %s%n",
          strategy,
          result.sold(),
          answers.soldOut(),
          answers.failed(),
          result.ordersPerSecond(),
          answers.p99Millis(),
          verdict(result.sold() - due));
      refused += answers.refused();
      if (strategy.equals("lock")) {
        exact = result.sold() == due && answers.sold() == result.sold() && answers.failed() == 0;
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

  private static String verdict(long tooMany) {
    return tooMany == 0
        ? "exact"
        : tooMany > 0
            ? "oversold by %,d".formatted(tooMany)
            : "%,d left unsold".formatted(-tooMany);
  }

  private DemoLoad.Progress sell(String strategy) throws InterruptedException {
    CompletableFuture<DemoLoad.@Nullable Progress> end = load.start(List.of(strategy), spec);
    while (true) {
      if (stopped.getAsBoolean()) {
        load.stop();
        throw new CancellationException("stopped");
      }
      try {
        DemoLoad.Progress progress = end.get(200, TimeUnit.MILLISECONDS);
        if (terminal) {
          print("\r\033[K");
        }
        if (progress != null) {
          return progress;
        }
      } catch (TimeoutException running) {
        DemoLoad.Progress progress = load.progress(strategy);
        if (terminal && progress != null) {
          print(
              "\r\033[K%-11s  %,d of %,d",
              strategy, progress.answers().requests(), spec.requests());
        }
      } catch (ExecutionException e) {
        throw new IllegalStateException(e.getCause());
      }
    }
  }

  private void print(String format, Object... values) {
    out.printf(Locale.ROOT, format, values);
    out.flush();
  }
}
