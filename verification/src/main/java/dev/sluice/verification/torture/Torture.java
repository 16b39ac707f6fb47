package dev.sluice.verification.torture;

import dev.sluice.Sluice;
import dev.sluice.lock.LockInfo;
import dev.sluice.servers.ClockShim;
import dev.sluice.verification.history.Event;
import dev.sluice.verification.history.Event.Kind;
import dev.sluice.verification.history.Violation;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** One run: servers, client processes, faults, and the verdict. */
public final class Torture implements AutoCloseable {
  /*
   * Faults strike for a while; then everything heals, and each worker must get a lock once more
   * within a bound, however long its queue: that is when a stuck lock shows. Then faults strike
   * again. In the end workers stop, and no grant and no ticket may remain.
   */
  private static final Duration STRETCH = Duration.ofSeconds(12);

  /** A stuck lock is stuck for longer, and a busy machine comes to its turn before. */
  private static final Duration MAX_ASK = Duration.ofSeconds(90);

  /** What a busy machine needs beyond a TTL. */
  private static final Duration SLACK = Duration.ofSeconds(15);

  private static final Duration MAX_LOOK = Duration.ofSeconds(30);

  /** A machine may have other things to do. */
  private static final Duration MAX_START = Duration.ofSeconds(120);

  private static final String DESK = "desk";

  private final TortureSettings settings;
  private final @Nullable ClockShim clock;
  private final FaultyServers topology;
  private final Observer observer;
  private final Merge merge;
  private final Resource resource;
  private final ClientProcesses crowd;
  private final List<FaultScheduler> scheduler;
  private final List<String> complaints = new ArrayList<>();
  private final Thread atExit = new Thread(this::close, "sluice-torture-end");
  private volatile boolean stop;

  private Torture(TortureSettings settings) throws IOException {
    this.settings = settings;
    this.clock = ClockShim.compile().orElse(null);
    this.topology = Topologies.start(settings, clock);
    this.observer = new Observer(!settings.isOurs(), topology.afterlife());
    this.merge = new Merge(observer::see);
    merge.open(DESK);
    this.resource = new Resource(this::say);
    this.crowd = new ClientProcesses(settings, topology, clock, merge, this::say, resource);
    SplittableRandom random = new SplittableRandom(settings.seed());
    FaultScheduler servers =
        new FaultScheduler("servers", topology.faults(), random.split(), 700, this::say);
    FaultScheduler clients =
        new FaultScheduler("clients", crowd.faults(), random.split(), 1500, this::say);
    this.scheduler = topology.faults().isEmpty() ? List.of(clients) : List.of(servers, clients);
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /**
   * Runs.
   *
   * @param settings what
   * @param progress gets a line about every second
   * @return what came out of it
   * @throws IOException if something could not be started
   * @throws InterruptedException if the thread is interrupted
   */
  public static TortureResult run(TortureSettings settings, Consumer<String> progress)
      throws IOException, InterruptedException {
    return run(settings, progress, null);
  }

  static TortureResult run(
      TortureSettings settings,
      Consumer<String> progress,
      @Nullable Consumer<FailureTimeline> picture)
      throws IOException, InterruptedException {
    Logger logger = Logger.getLogger("dev.sluice");
    Level before = logger.getLevel();
    logger.setLevel(Level.OFF); // losses are what a run is made of
    boolean alone = settings.topology().equals(MemoryTopology.WORD);
    try (Torture torture = new Torture(alone ? settings.inOneProcess() : settings)) {
      TortureResult verdict = torture.run(progress);
      if (picture != null) {
        picture.accept(new FailureTimeline(verdict));
      }
      return verdict;
    } finally {
      logger.setLevel(before);
    }
  }

  /**
   * Events of this process have the time at which they are recorded, so that they come in order.
   */
  private synchronized void say(LongFunction<Event> event) {
    merge.add(DESK, event.apply(System.nanoTime()));
  }

  private synchronized void beat() {
    merge.heard(DESK, System.nanoTime());
  }

  private void fault(Kind kind) {
    say(at -> new Event.Fault(at, kind, "", 0));
  }

  private TortureResult run(Consumer<String> progress) throws InterruptedException {
    long start = System.nanoTime();
    Thread beats = new Thread(() -> beats(progress, start), "sluice-torture-desk");
    beats.setDaemon(true);
    beats.start();
    for (int i = 0; i < settings.processes(); i++) {
      crowd.start();
    }
    if (!crowd.awaitCalls(MAX_START)) {
      complaints.add("the client processes did not come up");
    } else {
      long end = System.nanoTime() + settings.time().toNanos();
      int round = 0;
      while (!isOver() && System.nanoTime() - end < 0) {
        round(++round, end);
      }
      if (!isOver()) {
        finish(round + 1);
      }
    }
    stop = true;
    beats.join();
    return verdict((System.nanoTime() - start) / 1e9);
  }

  private boolean isOver() {
    return observer.isOver() || stop || !crowd.complaints().isEmpty() || !complaints.isEmpty();
  }

  private void beats(Consumer<String> progress, long start) {
    try {
      for (int i = 1; !stop; i++) {
        TimeUnit.MILLISECONDS.sleep(50);
        beat();
        if (i % 20 == 0) {
          progress.accept(progressLine((System.nanoTime() - start) / 1_000_000_000));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private String progressLine(long seconds) {
    Map<String, Long> counts = observer.counts();
    long faults =
        scheduler.stream().flatMap(w -> w.struck().values().stream()).mapToLong(n -> n).sum();
    return settings.topology()
        + " "
        + seconds
        + "s of "
        + settings.time().toSeconds()
        + "s: "
        + counts.getOrDefault("grants", 0L)
        + " grants, "
        + counts.getOrDefault("leases lost", 0L)
        + " lost, "
        + resource.updates()
        + " updates, "
        + resource.refused()
        + " refused, "
        + faults
        + " faults";
  }

  private void round(int number, long end) throws InterruptedException {
    fault(Kind.DISTURBED);
    List<Thread> threads = scheduler.stream().map(FaultScheduler::begin).toList();
    long left = Math.max(0, end - System.nanoTime());
    ClientProcesses.await(Duration.ofNanos(Math.min(STRETCH.toNanos(), left)), this::isOver);
    scheduler.forEach(FaultScheduler::calm);
    for (Thread thread : threads) {
      thread.join();
    }
    topology.heal();
    if (!crowd.awaitCalls(MAX_START)) {
      complaints.add("a client process did not come up");
    }
    fault(Kind.HEALED);
    if (!crowd.order(CallerLoop.Phase.ASK, number, MAX_ASK, this::isOver)) {
      complaints.add("L6: not every worker got a lock within " + MAX_ASK + " after the faults");
    }
    crowd.order(CallerLoop.Phase.RUN, number, MAX_ASK, this::isOver);
  }

  private void finish(int number) throws InterruptedException {
    if (!crowd.order(CallerLoop.Phase.STOP, number, MAX_ASK, this::isOver)) {
      complaints.add("not every worker came to its end");
    }
    TimeUnit.MILLISECONDS.sleep(500); // all messages have arrived
    fault(Kind.SETTLED);
    if (settings.isOurs()) {
      lookAtLocks();
    }
    crowd.end();
    if (settings.isOurs()) {
      List<String> left = new ArrayList<>();
      ClientProcesses.await(
          topology.afterlife().plus(SLACK),
          () -> {
            left.clear();
            left.addAll(topology.leftovers());
            return left.isEmpty();
          });
      left.forEach(what -> complaints.add("L8: " + what));
    }
  }

  /**
   * When every worker has stopped, every lock must become free: by release, or at the latest by
   * TTL.
   */
  private void lookAtLocks() throws InterruptedException {
    Duration most = CallerLoop.MAX_TTL.plus(SLACK).plus(topology.afterlife());
    try (Sluice sluice = Sluice.builder().uri(topology.uri()).requestTimeout(MAX_LOOK).build()) {
      for (String name : TortureSettings.NAMES) {
        LockInfo[] seen = new LockInfo[1];
        boolean free =
            ClientProcesses.await(
                most,
                () -> {
                  seen[0] = sluice.inspect().lock(name);
                  return seen[0].holder().isEmpty();
                });
        if (!free) {
          complaints.add("L7: no client holds the lock, and the store reports " + seen[0]);
        }
      }
    }
  }

  private List<TortureResult.Mark> marks() {
    List<TortureResult.Mark> marks = new ArrayList<>();
    scheduler.forEach(each -> marks.addAll(each.marks()));
    return marks;
  }

  private TortureResult verdict(double seconds) {
    Map<String, Long> counts = observer.counts();
    counts.put("updates", resource.updates());
    counts.put("updates lost", resource.lost());
    counts.put("refused by the guard", resource.refused());
    Map<String, Long> struck = new TreeMap<>();
    scheduler.forEach(each -> struck.putAll(each.struck()));
    complaints.addAll(crowd.complaints());
    if (settings.plant().changesScripts() && !topology.isPlanted()) {
      complaints.add("no script had the place where the fault is planted");
    }
    List<Violation> violations = new ArrayList<>(observer.violations());
    if (settings.isOurs() && violations.isEmpty() && resource.lost() > 0) {
      violations.add(new Violation("L2", "an update was lost behind the guard", 0));
    }
    return new TortureResult(
        settings,
        violations,
        List.copyOf(complaints),
        counts,
        struck,
        observer.lastEvents(),
        marks(),
        seconds);
  }

  /** Ends every process. Idempotent. */
  @Override
  public void close() {
    stop = true;
    scheduler.forEach(FaultScheduler::calm);
    crowd.close();
    topology.close();
    if (clock != null) {
      clock.close();
    }
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      return; // the JVM is going down and runs the hook itself
    }
  }
}
