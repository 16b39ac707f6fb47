package dev.sluice.flashsale;

import dev.sluice.spi.Secrets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What stands behind {@code ./sluice demo}.
 *
 * @param port where the first instance listens, or null for 8080 or, if taken, any free one
 * @param url store of the lock
 * @param data the file of the database without its ending, or null for the usual one
 * @param database the URL of a database server instead, or null
 * @param instances processes-in-one: each has its own web server, lock client and counter
 * @param once run every strategy once, print a table, end
 * @param load the buyers of {@code --once}
 * @param spring further {@code --name=value} for Spring
 */
record DemoOptions(
    @Nullable Integer port,
    String url,
    @Nullable Path data,
    @Nullable String database,
    int instances,
    boolean once,
    Load.Spec load,
    List<String> spring) {

  static final String HELP =
      """
      Usage: sluice demo [options]

      Starts a flash sale and prints where its page is. Ctrl-C ends it.
      sluice demo crash-test [--kills N] [--seed S] kills it while it sells, and looks what is left.

        --port N          where to listen; 8080 unless taken
        --url URL         store of lock and stock: redis://localhost:6379, ...; without it, this JVM alone
        --db PLACE        the database, which those who name the same one share: a folder, or the
                          URL of a PostgreSQL, jdbc:postgresql://... Unless given, a folder per
                          port; with --url, one per store
        --instances N     instances in this process, each with a counter of its own, 1 to 8; 2
                          (1 with --url: start the demo twice to have two processes)
        --once            no page: sell with every strategy, print a table, exit 0 if the lock sold
                          exactly its stock
        --stock N         units on offer; 10000, with --once 2000
        --requests N      requests with --once, each by a buyer of its own; twice the stock
        --concurrency N   buyers at a time with --once; 64
        --tries N         requests of each buyer with --once; 1. Above 5 the limit on orders shows
        --NAME=VALUE      any setting of the application: --sale.work=100ms, --server.port=8081
      """;

  static DemoOptions parse(String... args) {
    Integer port = null;
    String url = null;
    Path data = null;
    String database = null;
    Integer instances = null;
    boolean once = false;
    Integer stock = null;
    Integer requests = null;
    int concurrency = 64;
    int tries = 1;
    List<String> spring = new ArrayList<>();
    for (int i = 0; i < args.length; i++) {
      String arg = args[i];
      int equals = arg.indexOf('=');
      String name = equals < 0 ? arg : arg.substring(0, equals);
      switch (name) {
        case "--once" -> once = true;
        case "--port",
            "--server.port",
            "--url",
            "--sluice.url",
            "--db",
            "--sale.data",
            "--instances",
            "--stock",
            "--requests",
            "--concurrency",
            "--tries" -> {
          if (equals < 0 && ++i == args.length) {
            throw new IllegalArgumentException(name + " needs a value");
          }
          String value = equals < 0 ? args[i] : arg.substring(equals + 1);
          switch (name) {
            case "--port", "--server.port" -> port = number(name, value, 0, 65535);
            case "--url", "--sluice.url" -> url = value;
            case "--db" -> {
              database = value.startsWith("jdbc:") ? value : null;
              data = database == null ? Path.of(value, "sale") : null;
            }
            case "--sale.data" -> data = Path.of(value);
            case "--instances" -> instances = number(name, value, 1, 8);
            case "--stock" -> stock = number(name, value, 1, SaleProperties.MAX_STOCK);
            case "--requests" -> requests = number(name, value, 1, 200_000);
            case "--tries" -> tries = number(name, value, 1, 1000);
            default -> concurrency = number(name, value, 1, 500);
          }
        }
        default -> {
          if (!name.startsWith("--") || equals < 0) {
            throw new IllegalArgumentException("unknown option " + arg);
          }
          spring.add(arg);
        }
      }
    }
    int units = stock != null ? stock : once ? 2000 : 10_000;
    int buyers = requests != null ? requests : Math.min(200_000, 2 * units);
    spring.add("--sale.stock=" + units);
    return new DemoOptions(
        port,
        url != null ? url : "memory:flash-sale",
        data,
        database,
        instances != null ? instances : url == null || once ? 2 : 1,
        once,
        new Load.Spec(units, buyers, concurrency, tries),
        List.copyOf(spring));
  }

  /**
   * Where the database is. Processes with a lock of their own must not share it, so a store that
   * lives in this JVM has one database per port, and any other store one for all who use it.
   *
   * @param home under which the usual places are
   * @param firstPort where the first instance listens
   */
  Path data(Path home, int firstPort) {
    if (data != null) {
      return data;
    }
    String place =
        url.startsWith("memory:")
            ? String.valueOf(firstPort)
            : Secrets.mask(url).replaceAll("[^\\w.]+", "-");
    return home.resolve(place).resolve("sale");
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
