package dev.sluice.verification.torture;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockTimeoutException;
import dev.sluice.verification.history.Event;
import dev.sluice.verification.history.Event.End;
import dev.sluice.verification.torture.LockClient.Hold;
import dev.sluice.verification.torture.LockClient.Terms;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One caller: acquires, reads and writes the resource, releases, pauses, repeats. */
final class CallerLoop {
  static final Duration MAX_TTL = Duration.ofMillis(1500);
  private static final Duration LONG_WAIT = Duration.ofSeconds(30);

  /** The phase of the workers. */
  enum Phase {
    /** A random operation. */
    RUN,
    /** One turn, however long it takes, and then nothing. */
    ASK,
    /** Nothing more. */
    STOP
  }

  private final ClientMain process;
  private final LockClient client;
  private final WorkloadMix mix;
  private final List<String> names;
  private final SplittableRandom random;
  private Phase phase = Phase.RUN; // guarded by this
  private int phaseNumber; // guarded by this

  private volatile @Nullable Watched held;

  /** A lease whose end is looked at by another thread too. */
  private final class Watched {
    final int op;
    final Hold hold;
    private long until = Long.MIN_VALUE; // guarded by this
    private boolean over; // guarded by this

    Watched(int op, Hold hold) {
      this.op = op;
      this.hold = hold;
    }

    /** Says when the lease ends, as seen a moment ago, if it is not what was said last. */
    synchronized void look() {
      long before = System.nanoTime();
      long left = over ? 0 : hold.remainingNanos();
      if (left <= 0) {
        return;
      }
      long seen = left == Long.MAX_VALUE ? Long.MAX_VALUE / 2 : before + left;
      if (until == Long.MIN_VALUE || Math.abs(seen - until) > 1_000_000) {
        until = seen;
        process.report(at -> new Event.Deadline(at, op, seen));
      }
    }

    synchronized void end() {
      over = true;
    }
  }

  CallerLoop(
      ClientMain process, LockClient client, WorkloadMix mix, List<String> names, long seed) {
    this.process = process;
    this.client = client;
    this.mix = mix;
    this.names = names;
    this.random = new SplittableRandom(seed);
  }

  void start() {
    Thread thread = new Thread(this::run, "sluice-torture-worker");
    thread.setDaemon(true);
    thread.start();
  }

  synchronized void phase(Phase phase, int number) {
    this.phase = phase;
    this.phaseNumber = number;
    notifyAll();
  }

  void look() {
    Watched now = held;
    if (now != null) {
      now.look();
    }
  }

  private void run() {
    try {
      int answered = 0;
      while (true) {
        Phase now;
        int number;
        synchronized (this) {
          while (phase == Phase.STOP || (phase == Phase.ASK && answered == phaseNumber)) {
            if (answered != phaseNumber) {
              answered = phaseNumber;
              sayDone(answered);
            }
            wait();
          }
          now = phase;
          number = phaseNumber;
        }
        if (now == Phase.RUN) {
          turn(mix.wait(random));
          TimeUnit.MILLISECONDS.sleep(mix.thinkMillis(random));
        } else if (turn(LONG_WAIT)) {
          answered = number;
          sayDone(number);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void sayDone(int number) {
    process.say(at -> "DONE " + at + " " + number);
  }

  /** One turn. False if the store could not be asked. */
  private boolean turn(Duration wait) throws InterruptedException {
    int op = process.nextOperation();
    String name = names.get(random.nextInt(names.size()));
    Terms terms = mix.terms(random);
    process.report(at -> new Event.Invoked(at, op, "", name, wait.toNanos()));
    Hold hold;
    try {
      hold = client.acquire(name, terms, wait);
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      End end = mix.fixedLeases() ? kind(e) : End.BROKEN; // peers throw what they like
      process.report(at -> new Event.Ended(at, op, end, e.toString()));
      TimeUnit.MILLISECONDS.sleep(random.nextInt(5, 50));
      return end == End.REFUSED;
    }
    if (hold == null) {
      process.report(at -> new Event.Ended(at, op, End.REFUSED, "busy"));
      return wait.compareTo(LONG_WAIT) < 0;
    }
    long token = hold.token();
    process.report(at -> new Event.Acquired(at, op, "", name, token));
    Watched mine = new Watched(op, hold);
    mine.look();
    held = mine;
    hold.onChange(state -> told(mine, state));
    section(op, name, token, mix.holdMillis(random, terms));
    mine.look();
    mine.end();
    held = null;
    process.report(at -> new Event.ReleaseCalled(at, op));
    boolean ours;
    try {
      ours = hold.release();
    } catch (Exception e) {
      ours = false;
    }
    boolean wasOurs = ours;
    process.report(at -> new Event.Released(at, op, wasOurs));
    return true;
  }

  private void told(Watched mine, LeaseState state) {
    if (state == LeaseState.LOST) {
      mine.end();
    }
    process.report(at -> new Event.Told(at, mine.op, state));
  }

  /**
   * Reads, works, writes, and does so again until the time is over. It never asks whether the lease
   * is still good: that is what the guard is for.
   */
  private void section(int op, String name, long token, long millis) throws InterruptedException {
    long end = System.nanoTime() + millis * 1_000_000;
    do {
      String[] read = process.ask("READ " + op + " " + name + " " + token).split(" ");
      long left = Math.max(0, end - System.nanoTime());
      TimeUnit.NANOSECONDS.sleep(Math.min(left, 20_000_000L * random.nextInt(1, 20)));
      if (read[0].equals("OK")) {
        process.ask("WRITE " + op + " " + name + " " + token + " " + read[1]);
      }
    } while (System.nanoTime() - end < 0);
  }

  private static End kind(Exception failure) {
    if (failure instanceof LockTimeoutException) {
      return End.REFUSED;
    }
    if (failure instanceof OutcomeUnknownException) {
      return End.UNKNOWN;
    }
    return failure instanceof BackendException ? End.BROKEN : End.UNEXPECTED;
  }
}
