package dev.sluice.verification.simulation;

import static dev.sluice.verification.simulation.Profile.MILLI;
import static dev.sluice.verification.simulation.Profile.SECOND;

import dev.sluice.spi.LockProtocol;
import dev.sluice.verification.history.Event;
import dev.sluice.verification.history.Event.Kind;
import dev.sluice.verification.history.History;
import dev.sluice.verification.history.HistoryChecker;
import dev.sluice.verification.history.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One schedule: several processes, one store, faults; all of it from one seed, in one thread. The
 * same seed gives the same history.
 */
public final class Simulation {

  /**
   * The result of a schedule.
   *
   * @param seed the seed
   * @param profile what the schedule was like
   * @param history what happened
   * @param violation the first broken promise, or empty
   * @param steps how many things happened
   */
  public record Result(
      long seed, String profile, History history, Optional<Violation> violation, int steps) {

    /**
     * A report of what broke and how to reproduce it.
     *
     * @param lastEvents how much of the history
     * @return several lines
     */
    public String report(int lastEvents) {
      StringBuilder text = new StringBuilder();
      violation.ifPresent(
          broken -> {
            int shown = Math.min(broken.event() + 1, history.events().size());
            for (Event event : history.events().subList(Math.max(0, shown - lastEvents), shown)) {
              text.append(event).append('\n');
            }
            text.append("seed ").append(seed).append(" breaks ").append(broken).append('\n');
          });
      return text.append(profile)
          .append("\nreplay: ./sluice simulate --seed ")
          .append(seed)
          .append(" --trace")
          .toString();
    }
  }

  private final VirtualTime world;
  private final Variant variant;
  private final SimulatedStore store;
  private final List<Process> processes = new ArrayList<>();
  private int born;
  private boolean forgetful;

  private Simulation(long seed, Variant variant) {
    this.world = new VirtualTime(seed);
    this.variant = variant;
    this.store = new SimulatedStore(world, variant);
  }

  /**
   * Runs one schedule of the real code.
   *
   * @param seed any number
   * @return what came out
   */
  public static Result run(long seed) {
    return run(seed, Variant.REAL);
  }

  /**
   * Runs one schedule.
   *
   * @param seed any number
   * @param variant the code
   * @return what came out
   */
  public static Result run(long seed, Variant variant) {
    Simulation simulation = new Simulation(seed, variant);
    VirtualTime world = simulation.world;
    simulation.play();
    Optional<Violation> violation =
        world.steps >= VirtualTime.MAX_STEPS
            ? Optional.of(new Violation("L6", "runs in circles", world.history.events().size() - 1))
            : HistoryChecker.check(world.history.events(), world.profile.assumptions());
    return new Result(seed, world.profile.toString(), world.history, violation, world.steps);
  }

  private void play() {
    Profile profile = world.profile;
    for (int i = 0; i < profile.processes; i++) {
      start();
    }
    plan(profile.pauses, this::pauseOne);
    plan(profile.kills, this::killOne);
    plan(profile.closes, this::closeOne);
    plan(profile.outages, this::outage);
    plan(profile.amnesias, this::amnesia);
    plan(profile.stepsBack, this::stepBack);
    plan(profile.stepsForward, () -> store.step(size()));
    world.in(profile.busy, null, this::heal);
    while (world.step()) {
      // until nothing is left to happen
    }
    settle();
  }

  private void plan(int times, Runnable fault) {
    for (int i = 0; i < times; i++) {
      world.in(
          world.random.nextLong(world.profile.busy),
          null,
          () -> {
            if (!world.healed) {
              fault.run();
            }
          });
    }
  }

  private long size() {
    long[] sizes = {MILLI, 10 * MILLI, 100 * MILLI, SECOND, 10 * SECOND, 3600 * SECOND};
    return 1 + world.random.nextLong(sizes[world.random.nextInt(sizes.length)]);
  }

  private void stepBack() {
    if (!forgetful) { // tokens grow across loss of data only if the clock does not go back after it
      store.step(-size());
    }
  }

  private void start() {
    Process process = new Process("p" + ++born, world, store, variant);
    processes.add(process);
    for (int i = 0; i < world.profile.callers; i++) {
      new Caller(process).think();
    }
  }

  private Process any() {
    return processes.get(world.random.nextInt(processes.size()));
  }

  private void pauseOne() {
    Process process = any();
    if (!process.isUp() || process.isPaused()) {
      return;
    }
    process.pause();
    long longest = world.chance(0.5) ? 2 * world.profile.longestTtl : 3 * SECOND;
    world.in(world.random.nextLong(Math.min(longest, 3 * SECOND)), null, process::resume);
  }

  private void killOne() {
    Process process = any();
    if (process.isUp()) {
      process.kill(store);
      perhapsRestart();
    }
  }

  private void closeOne() {
    Process process = any();
    if (process.isUp() && !process.isPaused()) {
      process.close();
      perhapsRestart();
    }
  }

  private void perhapsRestart() {
    if (world.chance(0.7)) {
      world.in(
          world.upTo(200 * MILLI),
          null,
          () -> {
            if (!world.healed) {
              start();
            }
          });
    }
  }

  private void outage() {
    store.goDown(world.upTo(4 * SECOND));
  }

  /** The store is away for longer than its tokens run ahead of its clock, as P1 asks. */
  private void amnesia() {
    long away = Math.max(0, store.leadNanos()) + 2_000 + world.upTo(500 * MILLI);
    if (away > 2 * SECOND) {
      return; // after a large step back the promise needs a long outage
    }
    forgetful = true;
    store.forgetEverything();
    store.goDown(away);
  }

  private void heal() {
    world.healed = true;
    world.history.add(new Event.Fault(world.now, Kind.HEALED, "", 0));
    for (Process process : processes) {
      process.resume();
      if (process.isUp()) {
        world.in(world.random.nextLong(50 * MILLI), process, new Caller(process)::askAtTheEnd);
      }
    }
  }

  private void settle() {
    world.history.add(new Event.Fault(world.now, Kind.SETTLED, "", 0));
    for (Process process : processes) {
      if (process.isUp()) {
        world.history.add(new Event.Rest(world.now, process.id, process.engine.pendingTimers()));
      }
    }
    store.rest((LockProtocol.RETENTION_MICROS + 1_000_000) * 1000);
  }
}
