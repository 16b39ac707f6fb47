package dev.sluice.verification.simulation;

import static dev.sluice.verification.simulation.Profile.MILLI;
import static dev.sluice.verification.simulation.Profile.SECOND;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.LockTimeoutException;
import dev.sluice.verification.history.Event;
import dev.sluice.verification.history.Event.End;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** One caller in a process: acquires, holds, releases, pauses, repeats. */
final class Caller {
  private static final long LONG_WAIT = 600 * SECOND;

  private final VirtualTime world;
  private final Process process;

  Caller(Process process) {
    this.world = process.world;
    this.process = process;
  }

  void think() {
    world.in(world.upTo(world.profile.longestThought), process, this::act);
  }

  private void act() {
    if (world.healed || !process.isUp()) {
      return;
    }
    if (world.chance(0.4)) {
      ask(0);
    } else {
      long[] waits = {10 * MILLI, 200 * MILLI, 2 * SECOND, LONG_WAIT};
      ask(waits[world.random.nextInt(waits.length)]);
    }
  }

  /** Asks once more and waits without a bound. */
  void askAtTheEnd() {
    if (process.isUp()) {
      ask(LONG_WAIT);
    }
  }

  private void ask(long wait) {
    Profile profile = world.profile;
    String name = profile.names.get(world.random.nextInt(profile.names.size()));
    List<LockOptions> kinds = profile.options;
    LockOptions options =
        process.variant.options(
            world.chance(profile.usualOptions)
                ? kinds.get(0)
                : kinds.get(world.random.nextInt(kinds.size())));
    int op = world.nextOperation();
    world.history.add(new Event.Invoked(world.now, op, process.id, name, wait));
    var lock = process.engine.lock(name, options).async();
    if (wait == 0) {
      CompletableFuture<Optional<Lease>> asked = lock.tryAcquire().toCompletableFuture();
      asked.whenComplete(
          (lease, failure) ->
              answered(op, options, lease == null ? null : lease.orElse(null), failure));
      perhapsCancel(asked, 50 * MILLI);
    } else {
      CompletableFuture<Lease> asked = lock.acquire(Duration.ofNanos(wait)).toCompletableFuture();
      asked.whenComplete((lease, failure) -> answered(op, options, lease, failure));
      perhapsCancel(asked, Math.min(2 * SECOND, wait));
    }
  }

  private void perhapsCancel(CompletableFuture<?> asked, long within) {
    if (!world.healed && world.chance(0.1)) {
      boolean byTimeout = world.chance(0.3);
      world.in(
          world.upTo(within),
          process,
          () -> {
            if (byTimeout) {
              asked.completeExceptionally(new TimeoutException("own time-out"));
            } else {
              asked.cancel(false);
            }
          });
    }
  }

  private void answered(
      int op, LockOptions options, @Nullable Lease lease, @Nullable Throwable failure) {
    if (!process.isUp()) {
      return;
    }
    if (lease != null) {
      new LeaseUse(process, op, lease, options).begin();
    } else {
      Throwable cause =
          failure instanceof CompletionException && failure.getCause() != null
              ? failure.getCause()
              : failure;
      world.history.add(
          new Event.Ended(world.now, op, kind(cause), cause == null ? "" : cause.toString()));
    }
    think();
  }

  private static End kind(@Nullable Throwable failure) {
    if (failure == null || failure instanceof LockTimeoutException) {
      return End.REFUSED;
    }
    if (failure instanceof CancellationException || failure instanceof TimeoutException) {
      return End.CANCELLED;
    }
    if (failure instanceof OutcomeUnknownException) {
      return End.UNKNOWN;
    }
    if (failure instanceof BackendException) {
      return End.BROKEN;
    }
    return End.UNEXPECTED;
  }
}
