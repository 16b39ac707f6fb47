package dev.sluice.verification.cache;

import dev.sluice.SluiceException;
import dev.sluice.cache.CacheOptions;
import dev.sluice.limit.Limit;
import dev.sluice.spi.Backend;
import dev.sluice.testkit.FlakyBackend;
import dev.sluice.testkit.FlakyBackend.Fault;
import dev.sluice.testkit.FlakyBackend.Verb;
import dev.sluice.verification.cache.VersionedTable.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Several processes read and write rows of a database through one cache, at random, while values
 * expire, loaders pause, writers die, and lines to the store fail. Every read is judged.
 */
public final class CacheRun {
  private static final int PROCESSES = 3;
  private static final int THREADS_EACH = 2;
  private static final int KEYS = 16;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Far more than an operation takes. */
  private static final long MAX_NANOS_EACH = 3_000_000;

  /**
   * The result of a run.
   *
   * @param operations how many reads and writes returned
   * @param failed how many were told that they failed, which they may
   * @param hits reads that a cache answered
   * @param refused fills that were refused
   * @param crashes writers that died after their commit
   * @param wrong how many reads were wrong
   * @param oldest by how much the oldest value was older than its successor's end
   * @param violations the first of them, for people
   */
  public record Report(
      long operations,
      long failed,
      long hits,
      long refused,
      long crashes,
      long wrong,
      Duration oldest,
      List<String> violations) {}

  private final Supplier<Backend> store;
  private final VersionedTable table;
  private final Scheme scheme;
  private UnaryOperator<CacheOptions<Integer, String>> settings = options -> options;
  private Duration bound = Duration.ZERO;
  private Set<Verb> faults = EnumSet.noneOf(Verb.class);
  private boolean crashes;
  private boolean oneWrites;
  private @Nullable IntConsumer evict;

  private final AtomicReferenceArray<Member> members = new AtomicReferenceArray<>(PROCESSES);
  private final AtomicLong left = new AtomicLong();
  private final AtomicLong stamps = new AtomicLong();
  private final AtomicLong returned = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private final AtomicLong hits = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicInteger died = new AtomicInteger();

  /**
   * A run in calm weather: values expire, and loaders pause.
   *
   * @param store opens a connection, as another process would have
   * @param table an empty table
   * @param scheme what processes do
   */
  public CacheRun(Supplier<Backend> store, VersionedTable table, Scheme scheme) {
    this.store = store;
    this.table = table;
    this.scheme = scheme;
  }

  /** {@return how many rows the table needs} */
  public static int keys() {
    return KEYS;
  }

  /**
   * Settings of the caches.
   *
   * @param more changes a builder
   * @return this
   */
  public CacheRun with(UnaryOperator<CacheOptions<Integer, String>> more) {
    this.settings = more;
    return this;
  }

  /**
   * Allows older values for a while.
   *
   * @param staleness after the end of the write that replaced them (default: zero)
   * @return this
   */
  public CacheRun bound(Duration staleness) {
    this.bound = staleness;
    return this;
  }

  /**
   * Loses, delays and repeats calls.
   *
   * @param verbs which
   * @return this
   */
  public CacheRun faults(Set<Verb> verbs) {
    this.faults = verbs;
    return this;
  }

  /**
   * Lets processes die between commit and invalidation.
   *
   * @return this
   */
  public CacheRun crashes() {
    this.crashes = true;
    return this;
  }

  /**
   * Lets the first process write, on a good line, and the others read; those are cut off at times.
   *
   * @return this
   */
  public CacheRun oneWrites() {
    this.oneWrites = true;
    return this;
  }

  /**
   * Lets the store forget keys.
   *
   * @param forgets a row whose guard is to go
   * @return this
   */
  public CacheRun evicts(IntConsumer forgets) {
    this.evict = forgets;
    return this;
  }

  /**
   * Runs.
   *
   * @param operations how many reads and writes
   * @param stopAtFirst whether one wrong read is enough
   * @param seed of all that is random but the threads
   * @return what came out
   */
  public Report run(long operations, boolean stopAtFirst, long seed) {
    Versions versions = new Versions(KEYS, bound);
    left.set(operations);
    for (int i = 0; i < PROCESSES; i++) {
      members.set(i, member(i));
    }
    AtomicBoolean over = new AtomicBoolean();
    Thread late = new Thread(() -> deliver(over, new SplittableRandom(seed)), "late deliveries");
    late.start();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < PROCESSES * THREADS_EACH; i++) {
      int process = i % PROCESSES;
      SplittableRandom random = new SplittableRandom(seed * 31 + i);
      threads.add(
          new Thread(
              () -> {
                while (left.decrementAndGet() >= 0 && !(stopAtFirst && versions.wrong() > 0)) {
                  operate(process, random, versions);
                }
              },
              "process " + process));
    }
    threads.forEach(Thread::start);
    long end = System.nanoTime() + PATIENCE.toNanos() + operations * MAX_NANOS_EACH;
    for (Thread thread : threads) {
      if (!ended(thread, end)) {
        versions.wrong(thread.getName() + " waits for ever: " + List.of(thread.getStackTrace()));
      }
    }
    over.set(true);
    ended(late, end);
    for (int i = 0; i < PROCESSES; i++) {
      members.get(i).line.heal();
    }
    if (scheme == Scheme.GUARDED) {
      settle(versions);
    }
    for (int i = 0; i < PROCESSES; i++) {
      retire(members.get(i));
    }
    return new Report(
        returned.get(),
        failed.get(),
        hits.get(),
        refused.get(),
        died.get(),
        versions.wrong(),
        versions.oldest(),
        versions.violations());
  }

  private Member member(int process) {
    return new Member(
        "process " + process,
        new FlakyBackend(store.get()),
        scheme,
        builder ->
            settings.apply(
                builder
                    .fillLease(Duration.ofMillis(20))
                    .intent(Duration.ofMillis(400))
                    .fallback(Limit.tokenBucket(1_000_000, Duration.ofSeconds(1)))),
        key -> {
          Row row = table.read(key);
          SplittableRandom random = new SplittableRandom();
          if (random.nextInt(25) == 0) { // after the read, before anybody knows of it
            pause(random.nextInt(10) == 0 ? 40_000 : random.nextInt(4_000));
          }
          return row;
        });
  }

  private void retire(Member member) {
    hits.addAndGet(member.hits());
    refused.addAndGet(member.refused());
    member.close();
  }

  // ---- what processes do ----

  private void operate(int process, SplittableRandom random, Versions versions) {
    Member member = members.get(process);
    int key = random.nextInt(KEYS);
    try {
      disturb(process, member, random, key);
      int what = random.nextInt(100);
      if (what < 20 && (!oneWrites || process == 0)) {
        write(process, member, key, random, versions);
      } else {
        long floor = versions.floor(key);
        long began = System.nanoTime();
        Row row = what < 23 ? member.refresh(key) : member.read(key);
        versions.read(key, floor, row, began, member.name);
      }
      returned.incrementAndGet();
    } catch (SluiceException | CompletionException e) {
      failed.incrementAndGet();
    } catch (IllegalStateException e) {
      if (members.get(process) == member) { // otherwise it was closed under us
        versions.wrong("unexpected: " + e);
      }
      failed.incrementAndGet();
    } catch (RolledBack e) {
      returned.incrementAndGet();
    } catch (RuntimeException e) {
      versions.wrong("unexpected: " + e);
    }
  }

  private static final class RolledBack extends RuntimeException {
    private static final long serialVersionUID = 1;

    RolledBack() {
      super("as it was asked for", null, false, false);
    }
  }

  private void write(
      int process, Member member, int key, SplittableRandom random, Versions versions) {
    String stamp = "s" + stamps.incrementAndGet();
    int fate = random.nextInt(1_000);
    if (fate < 100) {
      versions.rolledBack(stamp);
      member.write(
          key,
          stamp,
          before ->
              table.write(
                  key,
                  stamp,
                  () -> {
                    before.run();
                    throw new RolledBack();
                  }));
      return;
    }
    if (fate < 110 && crashes) {
      crash(process, member, key, stamp, versions);
      return;
    }
    long began = System.nanoTime();
    Member.Write commit = before -> table.write(key, stamp, before);
    boolean announced = crashes || fate < 600;
    Row row =
        announced
            ? member.write(key, stamp, commit)
            : member.writeThenInvalidate(key, stamp, commit);
    versions.done(key, row, began, member.name);
  }

  /** Between commit and invalidation the process dies; another takes its place. */
  private void crash(int process, Member member, int key, String stamp, Versions versions) {
    try {
      member.write(
          key,
          stamp,
          before -> {
            Row row = table.write(key, stamp, before);
            member.line.die();
            versions.crashed(key, member.name);
            return row;
          });
    } finally {
      if (members.compareAndSet(process, member, member(process))) {
        died.incrementAndGet();
        retire(member);
      }
    }
  }

  private void disturb(int process, Member member, SplittableRandom random, int key) {
    if (!faults.isEmpty() && !(oneWrites && process == 0)) {
      if (random.nextInt(50) == 0) {
        Verb verb = List.copyOf(faults).get(random.nextInt(faults.size()));
        Fault[] lines = Fault.values();
        member.line.next(verb, lines[random.nextInt(lines.length)]);
      }
      if (oneWrites && random.nextInt(5_000) == 0) {
        member.line.die(); // until it is healed
      }
    }
    if (evict != null && random.nextInt(50) == 0) {
      evict.accept(key);
    }
  }

  // ---- the world ----

  /** Delivers what is late, and heals lines that were cut. */
  private void deliver(AtomicBoolean over, SplittableRandom random) {
    while (!over.get()) {
      for (int i = 0; i < PROCESSES; i++) {
        FlakyBackend line = members.get(i).line;
        if (oneWrites && random.nextInt(300) == 0) {
          line.heal();
        } else if (line.heldCalls() > 0 && random.nextInt(3) == 0) {
          line.takeHeld().deliver();
        }
      }
      pause(1_000);
    }
  }

  /** At rest, everybody reads what the database has. */
  private void settle(Versions versions) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    List<String> different = different();
    while (!different.isEmpty() && System.nanoTime() < end) {
      pause(20_000);
      different = different();
    }
    different.forEach(versions::wrong);
  }

  private List<String> different() {
    List<String> found = new ArrayList<>();
    for (int key = 0; key < KEYS; key++) {
      Row row = table.read(key);
      for (int i = 0; i < PROCESSES; i++) {
        Member member = members.get(i);
        try {
          Row read = member.read(key);
          if (!read.equals(row)) {
            found.add("at rest %s reads %s, not %s".formatted(member.name, read, row));
          }
          if (member.pending() > 0) {
            found.add(member.name + " has invalidations pending");
          }
        } catch (SluiceException e) {
          found.add("at rest " + member.name + ": " + e);
        }
      }
    }
    return found;
  }

  static void pause(long micros) {
    LockSupport.parkNanos(micros * 1_000);
  }

  private static boolean ended(Thread thread, long end) {
    try {
      thread.join(Math.max(1, (end - System.nanoTime()) / 1_000_000));
      if (thread.isAlive()) {
        thread.interrupt();
        return false;
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
