package dev.sluice.flashsale;

import dev.sluice.text.Secrets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Unmatched;

/** The options of {@code ./sluice demo}. */
@Command(
    name = "sluice demo",
    synopsisHeading = "Usage: ",
    customSynopsis = "sluice demo [options]",
    description = {
      "%nStarts a flash sale and prints where its page is. Ctrl-C ends it.",
      "sluice demo crash-test [--kills N] [--seed S] kills it while it sells, and looks what is"
          + " left.%n"
    },
    footer = {
      "      --NAME=VALUE      Any setting of the application: --sale.work=100ms,",
      "                          --sale.round-trip=2ms (to the embedded database, default: 1 ms)"
    })
final class DemoOptions {
  private static final int MAX_REQUESTS = 200_000;

  private @Nullable Integer port;
  private @Nullable Integer instances;
  private @Nullable Integer stock;
  private @Nullable Integer requests;
  private int concurrency = 64;
  private int tries = 1;

  @Option(
      names = {"--url", "--sluice.url"},
      paramLabel = "URL",
      description =
          "Store of lock and stock: redis://localhost:6379, ... Without it, this JVM alone.")
  private @Nullable String url;

  @Option(
      names = "--db",
      paramLabel = "PLACE",
      description =
          "The database, which processes that name the same one share: a folder, or the URL of a"
              + " PostgreSQL, jdbc:postgresql://... (default: a folder per port; with --url, one"
              + " per store).")
  private @Nullable String db;

  @Option(names = "--sale.data", hidden = true)
  private @Nullable Path data;

  @Option(
      names = "--once",
      description =
          "No page: sell with every strategy, print a table, exit 0 if the lock sold exactly its"
              + " stock.")
  private boolean once;

  @Unmatched private List<String> others = new ArrayList<>();

  private DemoOptions() {}

  @Option(
      names = {"--port", "--server.port"},
      paramLabel = "N",
      description = "Where to listen (default: 8080, or a free port if that is taken).")
  void port(String value) {
    port = number("--port", value, 0, 65535);
  }

  @Option(
      names = "--instances",
      paramLabel = "N",
      description =
          "Instances in this process, each with its own counter, 1 to 8 (default: 2; with"
              + " --url 1: start the demo twice to have two processes).")
  void instances(String value) {
    instances = number("--instances", value, 1, 8);
  }

  @Option(
      names = "--stock",
      paramLabel = "N",
      description = "Units on offer (default: 2000, with --once 1000).")
  void stock(String value) {
    stock = number("--stock", value, 1, SaleProperties.MAX_STOCK);
  }

  @Option(
      names = "--requests",
      paramLabel = "N",
      description = "Requests with --once, each by another buyer (default: twice the stock).")
  void requests(String value) {
    requests = number("--requests", value, 1, MAX_REQUESTS);
  }

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      description = "Buyers at a time with --once (default: 64).")
  void concurrency(String value) {
    concurrency = number("--concurrency", value, 1, 500);
  }

  @Option(
      names = "--tries",
      paramLabel = "N",
      description =
          "Requests of each buyer with --once (default: 1). Above 5 the limit on orders shows.")
  void tries(String value) {
    tries = number("--tries", value, 1, 1000);
  }

  static DemoOptions parse(String... args) {
    DemoOptions options = new DemoOptions();
    try {
      commandLine(options).parseArgs(args);
    } catch (MissingParameterException e) {
      throw new IllegalArgumentException(
          ((CommandLine.Model.OptionSpec) e.getMissing().get(0)).names()[0] + " needs a value", e);
    } catch (ParameterException e) {
      throw new IllegalArgumentException(
          e.getCause() instanceof IllegalArgumentException cause
              ? cause.getMessage()
              : e.getMessage(),
          e);
    }
    for (String other : options.others) {
      if (!other.startsWith("--") || !other.contains("=")) {
        throw new IllegalArgumentException("unknown option " + other);
      }
    }
    return options;
  }

  static String help() {
    return commandLine(new DemoOptions()).getUsageMessage();
  }

  private static CommandLine commandLine(DemoOptions options) {
    return new CommandLine(options)
        .setExpandAtFiles(false)
        .setOverwrittenOptionsAllowed(true)
        .setUsageHelpWidth(100);
  }

  /** {@return where the first instance listens, or null for 8080 or, if taken, any free port} */
  @Nullable Integer port() {
    return port;
  }

  String url() {
    return url != null ? url : "memory:flash-sale";
  }

  /** {@return the URL of a database server, or null} */
  @Nullable String database() {
    return db != null && db.startsWith("jdbc:") ? db : null;
  }

  /** {@return the file of the embedded database without its ending, or null for the usual one} */
  @Nullable Path data() {
    return data != null ? data : db != null && database() == null ? Path.of(db, "sale") : null;
  }

  int instances() {
    return instances != null ? instances : url == null || once ? 2 : 1;
  }

  boolean once() {
    return once;
  }

  /** {@return the buyers of {@code --once}} */
  DemoLoad.Spec load() {
    int buyers = requests != null ? requests : Math.min(MAX_REQUESTS, 2 * units());
    return new DemoLoad.Spec(units(), buyers, concurrency, tries);
  }

  private int units() {
    return stock != null ? stock : once ? 1000 : 2000;
  }

  /** {@return {@code --name=value} for Spring} */
  List<String> spring() {
    List<String> spring = new ArrayList<>(others);
    spring.add("--sale.stock=" + units());
    return spring;
  }

  /**
   * Where the embedded database is. Processes that do not share a lock must not share it. So a
   * store in this JVM has one database per port, and any other store one for all its processes.
   *
   * @param home under which the usual places are
   */
  Path data(Path home, int firstPort) {
    String place =
        url().startsWith("memory:")
            ? String.valueOf(firstPort)
            : Secrets.mask(url()).replaceAll("[^\\w.]+", "-");
    Path named = data();
    return named != null ? named : home.resolve(place).resolve("sale");
  }

  private static int number(String name, String value, int least, int most) {
    try {
      int number = Integer.parseInt(value);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // told below, with the range
    }
    throw new IllegalArgumentException(
        "%s must be %d to %d: %s".formatted(name, least, most, value));
  }
}
