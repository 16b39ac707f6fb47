package dev.sluice.bench;

import dev.sluice.bench.sale.SaleBench;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice bench flash-sale}: the sample application under load from outside. */
@Command(
    name = "flash-sale",
    description = {
      "Every way to sell under ab -c 10000 -n 20000, on a Redis and a PostgreSQL of the bench's own.",
      "Needs ab, wrk (Debian: apache2-utils, wrk), PostgreSQL, and a hard limit of 20,000 open files.",
      "Prints tables and writes them as Markdown and JSON, with a chart."
    },
    mixinStandardHelpOptions = true)
final class FlashSaleCommand extends ReportCommand {
  @Option(names = "--concurrency", defaultValue = "10000", description = "${DEFAULT-VALUE}")
  private int concurrency;

  @Option(names = "--requests", defaultValue = "20000", description = "${DEFAULT-VALUE}")
  private int requests;

  FlashSaleCommand() {
    super("flash-sale", "A flash sale", "flash-sale-benchmark.svg");
  }

  @Override
  boolean isWhole() {
    return concurrency == 10_000 && requests == 20_000;
  }

  @Override
  Optional<String> missing() {
    return SaleBench.missing(concurrency);
  }

  @Override
  public Integer call() throws Exception {
    Optional<String> missing = missing();
    if (missing.isPresent()) {
      throw new IllegalStateException("flash-sale cannot run: " + missing.get());
    }
    return report(
        SaleBench.jvmFlags(),
        new SaleBench(concurrency, requests, quick() ? 1 : 3, quick() ? 3 : 10, progress()::report)
            ::run);
  }
}
