package dev.sluice.verification.simulation;

import dev.sluice.BackendException;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import dev.sluice.verification.history.Event;
import java.time.Duration;

/** One lease of a caller, and the caller's observations. */
final class LeaseUse {
  private final VirtualTime world;
  private final Process process;
  private final int op;
  private final Lease lease;
  private final LockOptions options;
  private long deadline = Long.MIN_VALUE;
  private boolean over;

  LeaseUse(Process process, int op, Lease lease, LockOptions options) {
    this.world = process.world;
    this.process = process;
    this.op = op;
    this.lease = lease;
    this.options = options;
  }

  void begin() {
    world.history.add(new Event.Acquired(world.now, op, process.id, lease.name(), lease.token()));
    process.turns.add(this);
    look();
    lease.onChange((changed, state) -> world.history.add(new Event.Told(world.now, op, state)));
    long hold = world.upTo(world.profile.longestHold);
    for (int writes = world.random.nextInt(3); writes > 0; writes--) {
      after(world.random.nextLong(hold + 1), this::write);
    }
    if (world.chance(0.1)) {
      after(world.random.nextLong(hold + 1), this::renew);
    }
    if (world.healed || world.chance(0.9)) {
      after(hold, this::end);
    } else {
      forget();
    }
  }

  private void after(long delay, Runnable task) {
    world.in(delay, process, task);
  }

  /** Holds on until its time is up or the faults are over. */
  private void forget() {
    if (world.healed) {
      end();
    } else {
      after(200 * Profile.MILLI, this::forget);
    }
  }

  /** Notes when the lease says something new about its end. */
  void look() {
    long left = lease.remaining().toNanos();
    if (left > 0) {
      long local = process.nanos() + left;
      if (local != deadline) {
        deadline = local;
        world.history.add(new Event.Deadline(world.now, op, world.now + process.trueNanos(left)));
      }
    }
  }

  private void write() {
    if (over) {
      return;
    }
    try {
      lease.checkHeld();
    } catch (dev.sluice.lock.LeaseLostException e) {
      return;
    }
    // the check is past; the write may still be late
    world.in(
        world.upTo(world.chance(0.2) ? Profile.SECOND : 5 * Profile.MILLI),
        null,
        () ->
            world.history.add(
                new Event.Written(
                    world.now,
                    op,
                    lease.name(),
                    lease.token(),
                    world.guardAccepts(lease.name(), lease.token()))));
  }

  private void renew() {
    if (over || !process.mayBlock()) {
      return;
    }
    Duration ttl = options.ttl();
    Duration[] choices = {
      Duration.ofMillis(10), ttl.dividedBy(2).plusMillis(10), ttl, ttl.multipliedBy(10)
    };
    try {
      boolean renewed = lease.renew(choices[world.random.nextInt(choices.length)]);
      if (renewed && over && !process.wokeLate()) {
        fail("a lease was renewed that was released");
      }
      if (!renewed && world.chance(0.5)) {
        end();
      }
    } catch (BackendException | Process.Gone e) {
      // nothing is known; the lease keeps its old deadline
    }
  }

  private void fail(String what) {
    world.history.add(new Event.Ended(world.now, op, Event.End.UNEXPECTED, what));
  }

  private void end() {
    if (over) {
      return;
    }
    over = true;
    process.turns.remove(this);
    world.history.add(new Event.ReleaseCalled(world.now, op));
    lease
        .releaseAsync()
        .thenAccept(ours -> world.history.add(new Event.Released(world.now, op, ours)));
    if (world.chance(0.05)) {
      after(
          world.upTo(Profile.SECOND),
          () ->
              lease
                  .releaseAsync()
                  .thenAccept(
                      ours -> {
                        if (ours) {
                          fail("a lease was released twice");
                        }
                      }));
    }
  }
}
