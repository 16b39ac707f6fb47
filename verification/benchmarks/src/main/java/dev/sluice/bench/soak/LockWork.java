package dev.sluice.bench.soak;

import dev.sluice.Sluice;
import dev.sluice.lock.DistributedReadWriteLock;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.ReadWriteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/** Locks, read-write locks and semaphores that all clients want, and L1 and L2 on the way. */
final class LockWork {
  private static final int NAMES = 3;
  private static final int PERMITS = 3;
  private static final int WRITER = 1000;
  private static final Duration TTL = Duration.ofMillis(1500);
  private static final Duration WAIT = Duration.ofMillis(800);
  private static final LockOptions[] OPTIONS = {
    LockOptions.renewing(TTL),
    LockOptions.fixed(TTL),
    LockOptions.renewing(TTL).sticky(Duration.ofMillis(300))
  };

  /** Asks for a lease; empty if another client was faster. */
  private interface Ask {
    Optional<Lease> lease() throws Exception;
  }

  private final String prefix;
  private final LoadCounts counts;
  private final AtomicLong once = new AtomicLong();
  private final List<Holders> locks = new ArrayList<>();
  private final List<Holders> readWrites = new ArrayList<>();
  private final List<Holders> semaphores = new ArrayList<>();

  LockWork(String prefix, LoadCounts counts) {
    this.prefix = prefix;
    this.counts = counts;
    for (int i = 0; i < NAMES; i++) {
      locks.add(new Holders(prefix + "lock-" + i, 1, counts));
      readWrites.add(new Holders(prefix + "rw-" + i, WRITER, counts));
      semaphores.add(new Holders(prefix + "semaphore-" + i, PERMITS, counts));
    }
  }

  /** One name in twenty is used this one time: what it leaves behind must go by itself. */
  Work locks(Sluice sluice) {
    return random -> {
      LockOptions options = OPTIONS[random.nextInt(OPTIONS.length)];
      if (random.nextInt(20) == 0) {
        sluice.lock(prefix + "once-" + once.incrementAndGet(), options).acquire(WAIT).close();
      } else {
        int i = random.nextInt(NAMES);
        Duration wait = random.nextInt(4) == 0 ? Duration.ZERO : WAIT;
        section(
            locks.get(i),
            1,
            random,
            () -> sluice.lock(prefix + "lock-" + i, options).tryAcquire(wait));
      }
      counts.done("locks");
    };
  }

  Work readWriteLocks(Sluice sluice) {
    return random -> {
      int i = random.nextInt(NAMES);
      DistributedReadWriteLock lock =
          sluice.readWriteLock(prefix + "rw-" + i, LockOptions.renewing(TTL), ReadWriteOrder.FAIR);
      if (random.nextInt(4) == 0) {
        section(readWrites.get(i), WRITER, random, () -> lock.writeLock().tryAcquire(WAIT));
      } else {
        section(readWrites.get(i), 1, random, () -> lock.readLock().tryAcquire(WAIT));
      }
      counts.done("read-write locks");
    };
  }

  Work semaphores(Sluice sluice) {
    return random -> {
      int i = random.nextInt(NAMES);
      section(
          semaphores.get(i),
          1,
          random,
          () ->
              Optional.of(
                  sluice
                      .semaphore(prefix + "semaphore-" + i, PERMITS, LockOptions.renewing(TTL))
                      .acquire(WAIT)));
      counts.done("semaphores");
    };
  }

  private static void section(Holders holders, int units, RandomGenerator random, Ask ask)
      throws Exception {
    long floor = holders.floor(units);
    Optional<Lease> granted = ask.lease();
    if (granted.isEmpty()) {
      return;
    }
    Lease lease = granted.get();
    holders.enter(lease, units, floor);
    try {
      TimeUnit.MICROSECONDS.sleep(random.nextInt(5_000));
    } finally {
      holders.leave(lease);
      lease.close();
    }
  }
}
