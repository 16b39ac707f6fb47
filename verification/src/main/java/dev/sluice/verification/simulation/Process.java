package dev.sluice.verification.simulation;

import dev.sluice.internal.lock.GrantEngine;
import dev.sluice.internal.lock.GrantParts;
import dev.sluice.spi.Scheduler;
import dev.sluice.spi.Ticker;
import dev.sluice.verification.history.Event;
import dev.sluice.verification.history.Event.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** One client process: a real engine on its own clock, which may stand still or die. */
final class Process implements Ticker, Scheduler, Executor {
  /** A process died inside a blocking call. */
  static final class Gone extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Gone() {
      super("gone", null, false, false);
    }
  }

  private static final int DEEPEST_WAIT = 10;

  final String id;
  final VirtualTime world;
  final GrantEngine engine;
  final Variant variant;
  final List<LeaseUse> turns = new ArrayList<>();
  private final double rate;
  private final long clockAtBirth;
  private final long bornAt;
  private final List<Runnable> deferred = new ArrayList<>();
  private boolean paused;
  private boolean gone;
  private boolean closed;
  private boolean wokeLate;
  private int depth;

  Process(String id, VirtualTime world, SimulatedStore store, Variant variant) {
    this.id = id;
    this.world = world;
    this.variant = variant;
    this.bornAt = world.now;
    this.clockAtBirth = world.random.nextLong(Long.MIN_VALUE / 2, Long.MAX_VALUE / 2);
    double drift = world.profile.drift;
    this.rate = drift == 0 ? 1 : 1 + world.random.nextDouble(-drift, drift);
    this.engine =
        GrantEngine.ofLocks(
            variant.client(new SimulatedNetwork(world, store, this), this),
            new GrantParts(
                "simulated store",
                id,
                this,
                this,
                world.random.split(),
                this,
                variant.rules(),
                Duration.ofDays(1)));
  }

  @Override
  public long nanos() {
    return clockAtBirth + (long) ((world.now - bornAt) * rate);
  }

  /** True time until the local clock has gone on by so much. */
  long trueNanos(long localNanos) {
    return (long) Math.ceil(localNanos / rate);
  }

  @Override
  public Runnable schedule(Runnable task, long delayNanos) {
    boolean[] cancelled = new boolean[1];
    world.in(
        trueNanos(delayNanos) + 1 + world.upTo(Profile.MILLI),
        this,
        () -> {
          if (!cancelled[0]) {
            task.run();
          }
        });
    return () -> cancelled[0] = true;
  }

  @Override
  public void execute(Runnable task) {
    world.in(world.upTo(world.profile.callbackDelay), this, task);
  }

  /** Runs something of this process, now or when it goes on. */
  void run(Runnable task) {
    if (gone) {
      return;
    }
    if (paused) {
      deferred.add(task);
      return;
    }
    task.run();
    for (int i = 0; i < turns.size(); i++) {
      turns.get(i).look();
    }
  }

  boolean mayBlock() {
    return depth < DEEPEST_WAIT;
  }

  void await(CompletableFuture<?> stage) {
    depth++;
    int[] answeredIn = {world.steps};
    stage.whenComplete((value, failure) -> answeredIn[0] = world.steps);
    try {
      while (!gone && (paused || !stage.isDone()) && world.step()) {
        // the world goes on while this caller waits
      }
      if (gone || !stage.isDone()) {
        throw new Gone();
      }
      wokeLate = answeredIn[0] != world.steps;
    } finally {
      depth--;
    }
  }

  /** Whether other things happened between the answer to the last blocking call and its return. */
  boolean wokeLate() {
    return wokeLate;
  }

  boolean isUp() {
    return !gone && !closed;
  }

  boolean isPaused() {
    return paused;
  }

  void pause() {
    paused = true;
    world.history.add(new Event.Fault(world.now, Kind.PAUSED, id, 0));
  }

  /** Everything that became due meanwhile runs now, in any order. */
  void resume() {
    if (!paused) {
      return;
    }
    paused = false;
    world.history.add(new Event.Fault(world.now, Kind.RESUMED, id, 0));
    List<Runnable> late = new ArrayList<>(deferred);
    deferred.clear();
    for (Runnable task : late) {
      world.in(world.random.nextLong(Profile.MILLI / 10), this, task);
    }
  }

  void kill(SimulatedStore store) {
    gone = true;
    turns.clear();
    store.unlisten(id);
    world.history.add(new Event.Fault(world.now, Kind.GONE, id, 0));
  }

  void close() {
    closed = true;
    turns.clear();
    world.history.add(new Event.Fault(world.now, Kind.GONE, id, 0));
    engine.close(Duration.ZERO);
  }
}
