package dev.sluice.bench.run;

import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.systems.Allowance;
import dev.sluice.bench.systems.EngineKind;
import dev.sluice.bench.systems.Habit;
import dev.sluice.bench.systems.Peer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** The stores, the worker processes of every library, and a folder for what they write. */
public final class Bench implements AutoCloseable {
  /** Everybody's default. */
  public static final Duration DEFAULT_TTL = Duration.ofSeconds(30);

  /** The same for every library. Small enough that twenty of them fit. */
  private static final List<String> JVM_FLAGS = List.of("-Xms128m", "-Xmx512m");

  private static final Duration CENSUS = Duration.ofMillis(200);

  private final Path folder;
  private final @Nullable Server server;
  private final Engines engines;
  private final List<String> jvmFlags;
  private final Map<String, Fleet> fleets = new ConcurrentHashMap<>();
  private final Map<Integer, Server> clusters = new ConcurrentHashMap<>();

  private Bench(Path folder, @Nullable Server server, List<String> jvmFlags) {
    this.folder = folder;
    this.server = server;
    this.engines = new Engines(folder, jvmFlags);
    this.jvmFlags = jvmFlags;
  }

  /**
   * Starts the Redis server; workers and other stores start when they are needed.
   *
   * @param moreJvmFlags for every worker, after those that all have
   */
  public static Bench start(List<String> moreJvmFlags) throws IOException {
    return start(moreJvmFlags, 1);
  }

  /**
   * The same with several servers that know nothing of each other.
   *
   * @param moreJvmFlags for every worker, after those that all have
   * @param servers how many; 0 for a bench that asks only its {@link Engines}
   */
  public static Bench start(List<String> moreJvmFlags, int servers) throws IOException {
    List<String> flags = new ArrayList<>(JVM_FLAGS);
    flags.addAll(moreJvmFlags);
    Path folder = Files.createTempDirectory("sluice-bench");
    try {
      return new Bench(folder, servers == 0 ? null : Server.start(servers), List.copyOf(flags));
    } catch (RuntimeException e) {
      delete(folder);
      throw e;
    }
  }

  /**
   * {@return the Redis server}
   *
   * @throws IllegalStateException if the bench was started without one
   */
  public Server server() {
    Server redis = server;
    if (redis == null) {
      throw new IllegalStateException("this bench has no Redis");
    }
    return redis;
  }

  /** {@return the other stores} */
  public Engines engines() {
    return engines;
  }

  Store store(Peer kind) {
    if (kind instanceof EngineKind engine) {
      return engines.store(engine.engine());
    }
    return kind.masters() == 0
        ? server()
        : clusters.computeIfAbsent(kind.masters(), Server::cluster);
  }

  /** {@return the flags that every worker JVM runs with} */
  public String jvmFlags() {
    return String.join(" ", jvmFlags);
  }

  /** {@return the processes of a library whose leases last so long} */
  public Fleet fleet(Peer kind, Duration ttl) {
    return fleets.computeIfAbsent(
        kind.chapter() + "/" + kind + "/" + ttl,
        key -> new Fleet(kind, store(kind).uri(), ttl, folder, jvmFlags));
  }

  /**
   * One measurement: who, doing what, how long.
   *
   * @param lock name of the lock, fresh for each measurement
   * @param leadIn time before measuring begins
   * @param census whether to watch, after the timed part, which commands came from clients
   */
  public record Trial(
      Peer kind,
      Habit habit,
      Pattern pattern,
      String lock,
      int processes,
      int threads,
      int sampleEvery,
      Duration leadIn,
      Duration window,
      boolean census) {}

  /**
   * Takes one measurement.
   *
   * @throws ExclusionBrokenException if the lock let two in
   */
  public Sample run(Trial trial) throws InterruptedException, IOException {
    Fleet fleet = fleet(trial.kind(), DEFAULT_TTL);
    int processes = trial.processes();
    fleet.grow(processes);
    Path file = newFile("page");
    SharedPage page = SharedPage.map(file);
    Store store = store(trial.kind());
    Counters before = store.counters();
    fleet.askEach(
        processes,
        Reply.Done.class,
        process ->
            new Order.Start(
                trial.pattern(),
                trial.habit(),
                trial.lock(),
                process,
                trial.threads(),
                trial.sampleEvery(),
                file.toString()));
    Phases<Reply.Outcome> done =
        phases(
            store,
            fleet,
            processes,
            Reply.Outcome.class,
            trial.leadIn(),
            trial.window(),
            trial.census(),
            () -> {});
    List<Reply.Outcome> outcomes = done.replies();
    long total = outcomes.stream().mapToLong(Reply.Outcome::total).sum();
    boolean counted =
        switch (trial.pattern()) {
          case OWN_LOCK, OWN_LOCK_RESTED, ONE_SHARED -> false;
          case ONE_LOCK, HAND_OVER, IN_TURNS -> true;
        };
    if (counted) {
      checkExclusion(trial.kind().id(), trial.lock(), total, page.count());
    }
    Files.delete(file);
    Sample sample = sample(outcomes, before, done);
    if (trial.kind() instanceof EngineKind) {
      // what waits for a disk has few turns, among which the first use of a name would show
      double measured = outcomes.stream().mapToLong(Reply.Outcome::measured).sum();
      sample.put(Metric.EXECUTED, done.executed() / Math.max(1, measured));
    }
    return sample.put(Metric.FAILED, 0); // a turn that fails ends the run
  }

  /**
   * What the phases of a measurement have yielded.
   *
   * @param replies one of each process
   * @param begun the server's counters when measuring began
   * @param paused the same when it ended
   * @param after the same at the end of all
   * @param shareSent share of executed commands that clients sent; not a number without census
   */
  record Phases<T extends Reply>(
      List<T> replies, Counters begun, Counters paused, Counters after, double shareSent) {
    /** {@return what the server executed while measuring; not a number where nobody counts} */
    double executed() {
      return paused.calls().isEmpty() ? Double.NaN : paused.executedSince(begun);
    }

    /** {@return scripts that clients called while measuring} */
    long scripts() {
      return paused.since(begun, "evalsha", "eval");
    }

    /** {@return CPU time of the server while measuring} */
    double cpuSeconds() {
      return paused.cpuSeconds() - begun.cpuSeconds();
    }
  }

  /** Lets the started processes go through lead-in, measurement, census and stop. */
  <T extends Reply> Phases<T> phases(
      Fleet fleet, int processes, Class<T> type, Duration leadIn, Duration window, boolean census)
      throws InterruptedException, IOException {
    return phases(server(), fleet, processes, type, leadIn, window, census, () -> {});
  }

  /**
   * The same on any store.
   *
   * @param beforeStop looks at what is there while everybody is still at it, untimed
   */
  static <T extends Reply> Phases<T> phases(
      Store store,
      Fleet fleet,
      int processes,
      Class<T> type,
      Duration leadIn,
      Duration window,
      boolean census,
      Runnable beforeStop)
      throws InterruptedException, IOException {
    pause(leadIn);
    fleet.askEach(processes, Reply.Done.class, process -> new Order.Measure());
    Counters begun = store.counters(); // as late after the beginning as the other after the end
    pause(window);
    fleet.askEach(processes, Reply.Done.class, process -> new Order.Pause());
    Counters paused = store.counters();
    double shareSent = census ? store.shareSent(CENSUS) : Double.NaN;
    beforeStop.run();
    List<T> replies = fleet.askEach(processes, type, process -> new Order.Stop());
    return new Phases<>(replies, begun, paused, store.counters(), shareSent);
  }

  /** Each turn added one: a smaller sum means that two were in at once. */
  static void checkExclusion(String system, String lock, long turns, long counted) {
    if (counted != turns) {
      throw new ExclusionBrokenException(
          system + ": " + turns + " turns under lock " + lock + " but the counter says " + counted);
    }
  }

  static Sample sample(List<Reply.Outcome> outcomes, Counters before, Phases<?> done) {
    Counters after = done.after();
    long total = outcomes.stream().mapToLong(Reply.Outcome::total).sum();
    Histogram wait = new Histogram(outcomes.get(0).waits());
    Histogram turn = new Histogram(outcomes.get(0).turns());
    wait.reset();
    turn.reset();
    long measured = 0;
    double rate = 0;
    double clientCpu = 0;
    long fewest = Long.MAX_VALUE;
    long most = 0;
    long fewestOfThread = Long.MAX_VALUE;
    long mostOfThread = 0;
    for (Reply.Outcome outcome : outcomes) {
      wait.add(outcome.waits());
      turn.add(outcome.turns());
      long own = outcome.measured();
      measured += own;
      rate += own * 1e9 / outcome.nanos();
      clientCpu += outcome.cpuNanos() / 1e3;
      fewest = Math.min(fewest, own);
      most = Math.max(most, own);
      for (long turns : outcome.perThread()) {
        fewestOfThread = Math.min(fewestOfThread, turns);
        mostOfThread = Math.max(mostOfThread, turns);
      }
    }
    boolean counted = !after.calls().isEmpty();
    double executed =
        counted ? (double) after.executedSince(before) / Math.max(1, total) : Double.NaN;
    double serverCpu = counted ? done.cpuSeconds() * 1e6 / Math.max(1, measured) : Double.NaN;
    return new Sample()
        .put(Metric.OPS, rate)
        .put(Metric.OP_P50, turn.getValueAtPercentile(50) / 1e3)
        .put(Metric.OP_P99, turn.getValueAtPercentile(99) / 1e3)
        .put(Metric.WAIT_P50, wait.getValueAtPercentile(50) / 1e3)
        .put(Metric.WAIT_P99, wait.getValueAtPercentile(99) / 1e3)
        .put(Metric.SENT, executed * done.shareSent())
        .put(Metric.EXECUTED, executed)
        .put(
            Metric.PUBLISHED,
            (double) after.since(before, "publish", "spublish") / Math.max(1, total))
        .put(Metric.THREAD_SHARE, (double) fewestOfThread / Math.max(1, mostOfThread))
        .put(Metric.PROCESS_SHARE, (double) most / Math.max(1, fewest))
        .put(Metric.CLIENT_CPU, clientCpu / Math.max(1, measured))
        .put(Metric.SERVER_CPU, serverCpu)
        .put(Metric.SAMPLES, wait.getTotalCount());
  }

  /** {@return an empty file that goes with this} */
  Path newFile(String prefix) throws IOException {
    return Files.createTempFile(folder, prefix, ".shared");
  }

  /** Measured time passes. */
  public static void pause(Duration time) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(time.toNanos());
  }

  // ---- single steps, for workloads that are not a closed loop ----

  /** Lets a library lock and unlock one lock many times. */
  public void cycles(Fleet fleet, String lock, int count) throws InterruptedException {
    fleet.ask(Reply.Done.class, new Order.Cycles(lock, count));
  }

  /** Lets a library take a lock and keep it. */
  public void take(Fleet fleet, String lock) throws InterruptedException {
    fleet.ask(Reply.Done.class, new Order.Take(lock));
  }

  /** Ends {@link #take}. */
  public void give(Fleet fleet) throws InterruptedException {
    fleet.ask(Reply.Done.class, new Order.Give());
  }

  /** How many held leases are good, and what became of the others. */
  public record Held(int held, long doubts, long lost, double cpuSeconds) {
    private static Held of(Reply.Held reply) {
      return new Held(reply.held(), reply.doubts(), reply.lost(), reply.cpuNanos() / 1e9);
    }
  }

  /** Takes many locks and keeps them. */
  public Held takeMany(Fleet fleet, String prefix, int count, int threads)
      throws InterruptedException {
    return Held.of(fleet.ask(Reply.Held.class, new Order.TakeMany(prefix, count, threads)));
  }

  /** Looks at what {@link #takeMany} took. */
  public Held checkMany(Fleet fleet) throws InterruptedException {
    return Held.of(fleet.ask(Reply.Held.class, new Order.CheckMany()));
  }

  /** Ends {@link #takeMany}. */
  public void giveMany(Fleet fleet) throws InterruptedException {
    fleet.ask(Reply.Done.class, new Order.GiveMany());
  }

  /** Asks a limiter once for each of so many keys. */
  public void spend(Fleet fleet, String limiter, Allowance allowance, Habit habit, int keys)
      throws InterruptedException {
    fleet.ask(Reply.Done.class, new Order.Spend(limiter, allowance, habit, keys));
  }

  /** How long a replay took. */
  public record Replayed(double seconds, double cpuSeconds) {}

  /** Lets a process replay a made-up log against policies. */
  public Replayed replay(Fleet fleet, long lines, int addresses, List<String> policies)
      throws InterruptedException {
    Reply.Took done =
        fleet.ask(Reply.Took.class, new Order.Replay(lines, addresses, List.copyOf(policies)));
    return new Replayed(done.nanos() / 1e9, done.cpuNanos() / 1e9);
  }

  // ---- end ----

  @Override
  public void close() {
    fleets.values().forEach(Fleet::dismiss);
    try {
      for (Fleet fleet : fleets.values()) {
        fleet.awaitEnd();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    engines.close();
    clusters.values().forEach(Server::close);
    if (server != null) {
      server.close();
    }
    delete(folder);
  }

  /**
   * Ends every worker at once and removes the folder; the server ends with this JVM. For a shutdown
   * hook.
   */
  public void abort() {
    fleets.values().forEach(Fleet::kill);
    delete(folder);
  }

  private static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      files
          .sorted(Comparator.reverseOrder())
          .map(Path::toFile)
          .forEach(file -> file.delete()); // what cannot be deleted lies in a temporary folder
    } catch (IOException e) {
      // the same
    }
  }

  /** A lock let two in. */
  public static final class ExclusionBrokenException extends RuntimeException {
    private static final long serialVersionUID = 1;

    ExclusionBrokenException(String message) {
      super(message);
    }
  }
}
