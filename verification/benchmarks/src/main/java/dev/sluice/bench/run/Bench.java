package dev.sluice.bench.run;

import dev.sluice.bench.systems.Candidate;
import dev.sluice.bench.systems.Engine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
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
  private final List<String> jvmFlags;
  private final Map<String, WorkerProcesses> fleets = new ConcurrentHashMap<>();
  private final Map<Engine, BenchStore> started = new ConcurrentHashMap<>();
  private final Map<Integer, Server> clusters = new ConcurrentHashMap<>();

  private Bench(Path folder, @Nullable Server server, List<String> jvmFlags) {
    this.folder = folder;
    this.server = server;
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
   * @param servers how many; 0 for a bench without one that candidates share
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

  /** {@return program, version and settings of each other store that was started} */
  public Map<Engine, String> about() {
    Map<Engine, String> all = new TreeMap<>();
    started.forEach((engine, store) -> all.put(engine, store.about()));
    return all;
  }

  /** {@return whether this machine has what it takes to start a store} */
  public static boolean isInstalled(Engine engine) {
    return switch (engine) {
      case POSTGRESQL -> SqlStore.postgresqlPrograms().isPresent();
      case MARIADB -> SqlStore.mariadbProgram().isPresent();
      case MEMORY, REDIS, ZOOKEEPER, H2, SQLITE -> true;
    };
  }

  private BenchStore start(Engine engine) {
    return switch (engine) {
      case MEMORY -> new BenchStore.Embedded("memory:", "in the worker's own memory");
      case REDIS -> Server.start(1);
      case ZOOKEEPER -> ZooKeeperStore.start(jvmFlags);
      case POSTGRESQL -> SqlStore.postgresql();
      case MARIADB -> SqlStore.mariadb();
      case H2 ->
          new BenchStore.Embedded(
              "jdbc:h2:mem:bench;DB_CLOSE_DELAY=-1", "in the worker's own memory");
      case SQLITE -> SqlStore.sqlite(folder.resolve("bench.db"));
    };
  }

  /** {@return what the store of a candidate has counted so far} */
  public ServerCounters counters(Candidate candidate) {
    return store(candidate).counters();
  }

  private BenchStore store(Candidate candidate) {
    if (candidate.masters() > 0) {
      return clusters.computeIfAbsent(candidate.masters(), Server::cluster);
    }
    return candidate.engine() == Engine.REDIS && server != null
        ? server
        : started.computeIfAbsent(candidate.engine(), this::start);
  }

  /** {@return the flags that every worker JVM runs with} */
  public String jvmFlags() {
    return String.join(" ", jvmFlags);
  }

  /** {@return the processes of a library whose leases last so long} */
  public WorkerProcesses fleet(Candidate candidate, Duration ttl) {
    return fleets.computeIfAbsent(
        candidate.id() + "/" + ttl,
        key -> new WorkerProcesses(candidate, store(candidate).uri(), ttl, folder, jvmFlags));
  }

  /** {@return those with the usual leases} */
  public WorkerProcesses fleet(Candidate candidate) {
    return fleet(candidate, DEFAULT_TTL);
  }

  /**
   * One measurement: who, doing what, how long.
   *
   * @param order what each process is to do, but for its number and the shared page
   * @param leadIn time before measuring begins
   * @param census whether to watch, after the timed part, which commands came from clients
   */
  public record Trial(
      Candidate candidate,
      WorkOrder order,
      int processes,
      Duration leadIn,
      Duration window,
      boolean census) {}

  /** Takes one measurement. */
  public Measured measure(Trial trial, Job.Preparation preparation)
      throws InterruptedException, IOException {
    return measure(trial, preparation, () -> {});
  }

  /**
   * The same.
   *
   * @param beforeStop looks at what is there while all callers are still at it, untimed
   */
  public Measured measure(Trial trial, Job.Preparation preparation, Runnable beforeStop)
      throws InterruptedException, IOException {
    WorkerProcesses fleet = fleet(trial.candidate());
    BenchStore store = store(trial.candidate());
    int processes = trial.processes();
    Path file = newFile();
    SharedPage page = SharedPage.map(file);
    fleet.doEach(
        processes,
        number -> {
          WorkOrder order = trial.order().in(number, file);
          return worker -> worker.prepare(preparation.prepare(worker, order));
        });
    ServerCounters before = store.counters();
    fleet.doEach(processes, number -> worker -> worker.loop().start());
    pause(trial.leadIn());
    fleet.doEach(processes, number -> worker -> worker.loop().measure());
    ServerCounters begun =
        store.counters(); // as late after the beginning as the other after the end
    pause(trial.window());
    fleet.doEach(processes, number -> worker -> worker.loop().pause());
    ServerCounters paused = store.counters();
    double shareSent = trial.census() ? store.shareSent(CENSUS) : Double.NaN;
    beforeStop.run();
    List<LoopOutcome> outcomes =
        fleet.runEach(processes, number -> worker -> worker.<Loop>forget("loop").stop());
    Files.delete(file);
    return new Measured(outcomes, before, begun, paused, store.counters(), shareSent, page);
  }

  /** {@return an empty file that goes with this} */
  public Path newFile() throws IOException {
    return Files.createTempFile(folder, "page", ".shared");
  }

  /** Measured time passes. */
  public static void pause(Duration time) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(time.toNanos());
  }

  @Override
  public void close() {
    fleets.values().forEach(WorkerProcesses::dismiss);
    try {
      for (WorkerProcesses fleet : fleets.values()) {
        fleet.awaitEnd();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    started.values().forEach(BenchStore::close);
    clusters.values().forEach(Server::close);
    if (server != null) {
      server.close();
    }
    delete(folder);
  }

  /**
   * Ends every worker immediately and removes the folder; the server ends with this JVM. For a
   * shutdown hook.
   */
  public void abort() {
    fleets.values().forEach(WorkerProcesses::kill);
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
}
