package dev.sluice.flashsale;

import dev.sluice.text.Secrets;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.server.ResponseStatusException;

/** Starts the instances and says where they are, or runs the sale in the terminal. */
final class Demo implements AutoCloseable {
  private static final String DATA = "--sale.data=";
  private static final String ROUND_TRIP = "--sale.round-trip=";
  private static final int DEFAULT_PORT = 8080;
  private static final int STOPPED = -1;
  private static final int MAX_STOP_SECONDS = 30;
  private static final int MAX_TRIES = 50;

  private final DemoOptions options;
  private final PrintStream out;
  private final List<ConfigurableApplicationContext> instances = new CopyOnWriteArrayList<>();

  Demo(DemoOptions options, PrintStream out) {
    this.options = options;
    this.out = out;
  }

  static void main(String[] args) {
    if (Arrays.asList(args).contains("--help")) {
      System.out.print(DemoOptions.help());
      return;
    }
    DemoOptions options;
    try {
      options = DemoOptions.parse(args);
    } catch (IllegalArgumentException e) {
      System.err.println("sluice demo: " + e.getMessage() + " (try --help)");
      System.exit(64);
      return;
    }
    // H2 would offer the file on every network interface. Read once, before H2 is loaded.
    System.setProperty("h2.bindAddress", "127.0.0.1");
    String trouble = trouble(options.database());
    if (!trouble.isEmpty()) {
      System.err.println("sluice demo: " + trouble);
      System.exit(69);
      return;
    }
    try {
      if (options.once()) {
        int exit = onceUnlessStopped(options, System.out);
        if (exit != STOPPED) { // else the JVM is on its way out already
          System.exit(exit);
        }
        return;
      }
      Demo demo = new Demo(options, System.out);
      onCtrlC(demo::close);
      demo.open();
    } catch (ResponseStatusException e) {
      System.err.println("sluice demo: " + e.getReason());
      System.exit(69);
    } catch (RuntimeException | IOException | InterruptedException e) {
      // Spring has logged the reason; a failure that it did not report is printed here.
      if (!(e instanceof RuntimeException)) {
        System.err.println("sluice demo: " + e);
      }
      System.exit(69);
    }
  }

  /** Why the database server cannot be used, in one line; empty if it can. Visible for tests. */
  static String trouble(@Nullable String database) {
    if (database == null) {
      return "";
    }
    try (Connection connection = DriverManager.getConnection(database)) {
      return connection.isValid(0) ? "" : "the database closed the connection immediately";
    } catch (SQLException e) {
      String place = Secrets.mask(database).replaceFirst("\\?.*", ""); // what follows may be secret
      return "cannot use the database " + place + ": " + e.getMessage();
    }
  }

  /** Ctrl-C lets no more buyers in, and waits until the instances have ended. */
  private static int onceUnlessStopped(DemoOptions options, PrintStream out)
      throws IOException, InterruptedException {
    CountDownLatch ended = new CountDownLatch(1);
    AtomicBoolean stopped = new AtomicBoolean();
    onCtrlC(
        () -> {
          stopped.set(true);
          try {
            ended.await(MAX_STOP_SECONDS, TimeUnit.SECONDS);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    try {
      return once(options, out, () -> stopped.get() || isGoingDown());
    } finally {
      ended.countDown();
    }
  }

  /** H2 closes itself as the JVM ends, and may do so before our own hook has run. */
  private static boolean isGoingDown() {
    Thread none = new Thread();
    try {
      Runtime.getRuntime().addShutdownHook(none);
      Runtime.getRuntime().removeShutdownHook(none);
      return false;
    } catch (IllegalStateException e) { // as is said of both methods
      return true;
    }
  }

  /** H2 closes itself as the JVM ends, beside us: no news. */
  private static void onCtrlC(Runnable task) {
    Runnable quietly =
        () -> {
          LoggingSystem.get(Demo.class.getClassLoader()).setLogLevel(null, LogLevel.OFF);
          task.run();
        };
    Runtime.getRuntime().addShutdownHook(new Thread(quietly, "stop"));
  }

  /**
   * Sells with every strategy in the terminal; the data is deleted afterwards unless a folder is
   * given.
   */
  static int once(DemoOptions options, PrintStream out, BooleanSupplier stopped)
      throws IOException, InterruptedException {
    DemoLoad.Spec spec = options.load();
    out.printf(
        Locale.ROOT,
        "%,d units, %,d buyers%s, %d at a time. Starting %s ...%n%n",
        spec.stock(),
        spec.buyers(),
        spec.tries() > 1 ? " with up to %,d tries each".formatted(spec.tries()) : "",
        spec.concurrency(),
        options.instances() == 1 ? "an instance" : options.instances() + " instances");
    out.flush();
    Path folder = Files.createTempDirectory("sluice-flash-sale");
    try (Demo demo = new Demo(options, out)) {
      demo.start(0, options.data() != null ? options.data() : folder.resolve("sale"), stopped);
      return new Once(demo.instances.get(0), spec, out, stopped).run() ? 0 : 1;
    } catch (RuntimeException e) {
      if (!stopped.getAsBoolean()) {
        throw e;
      }
      out.println("\nStopped.");
      out.flush();
      return STOPPED;
    } finally {
      delete(folder);
    }
  }

  private void open() throws IOException {
    int port = options.port() != null ? options.port() : usualOrFree();
    if (port == 0) {
      port = freePort();
    }
    Path home = Path.of(System.getProperty("sale.home", ".run/flash-sale"));
    out.printf("%n  Starting ...%n");
    out.flush();
    start(port, options.data(home, port), () -> false);
    out.printf("%n  Flash sale: %s/%n%n", url(instances.get(0)));
    for (ConfigurableApplicationContext other : instances.subList(1, instances.size())) {
      out.printf(
          "  also at     %s/  (a second instance: same database, own counter)%n", url(other));
    }
    out.printf("  Lock store  %s%n", store());
    out.printf("  Stop with Ctrl-C.%n%n");
    out.flush();
  }

  private String store() {
    return instances.get(0).getBean(dev.sluice.Sluice.class).describe();
  }

  private int usualOrFree() throws IOException {
    if (free(DEFAULT_PORT)) {
      return DEFAULT_PORT;
    }
    out.printf("  Port %d is taken, using a free one.%n", DEFAULT_PORT);
    return 0;
  }

  private static boolean free(int port) throws IOException {
    try (ServerSocket probe = new ServerSocket()) {
      probe.setReuseAddress(true);
      probe.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port));
      return true;
    } catch (java.net.BindException taken) {
      return false;
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      return probe.getLocalPort();
    }
  }

  private void start(int port, Path data, BooleanSupplier stopped) throws IOException {
    for (int i = 0; i < options.instances(); i++) {
      if (stopped.getAsBoolean()) {
        throw new CancellationException("stopped");
      }
      List<String> args = new ArrayList<>(options.spring());
      args.add("--sluice.url=" + options.url());
      args.add("--server.port=" + (i == 0 ? port : 0));
      if (options.database() == null) {
        args.add(DATA + data.toAbsolutePath());
      } else {
        args.add("--spring.datasource.url=" + options.database());
        args.add("--spring.datasource.username="); // the URL says who
        if (args.stream().noneMatch(arg -> arg.startsWith(ROUND_TRIP))) {
          args.add(ROUND_TRIP + "0s"); // it sets the round trip itself
        }
      }
      instances.add(instance(args.toArray(String[]::new)));
    }
  }

  /** Starts one instance. Visible for tests. */
  static ConfigurableApplicationContext instance(String... args) throws IOException {
    SpringApplicationBuilder instance = new SpringApplicationBuilder(FlashSaleApplication.class);
    instance.registerShutdownHook(false); // who starts it ends it
    for (String arg : args) {
      if (arg.startsWith(DATA)) { // not by an argument, which everybody on the machine can read
        instance.properties(
            Map.of(
                "spring.datasource.password",
                DataFolder.password(Path.of(arg.substring(DATA.length())))));
      }
    }
    return instance.run(args);
  }

  static String url(ConfigurableApplicationContext instance) {
    return instance.getBean(Instance.class).url();
  }

  @Override
  public void close() {
    for (int i = instances.size() - 1; i >= 0; i--) {
      instances.get(i).close();
    }
  }

  /** H2 may be writing while it closes itself. */
  private static void delete(Path folder) throws IOException, InterruptedException {
    for (int tries = 1; ; tries++) {
      try (var files = Files.walk(folder)) {
        for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
        return;
      } catch (IOException | UncheckedIOException e) {
        if (tries == MAX_TRIES) {
          throw e;
        }
        TimeUnit.MILLISECONDS.sleep(100);
      }
    }
  }
}
