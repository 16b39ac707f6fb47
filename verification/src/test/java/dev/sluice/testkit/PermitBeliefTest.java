package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.lock.AsyncLock;
import dev.sluice.lock.AsyncSemaphore;
import dev.sluice.lock.DistributedReadWriteLock;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.PermitInfo;
import dev.sluice.lock.ReadWriteOrder;
import dev.sluice.memory.FaultyMemory;
import dev.sluice.memory.ManualTime;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.state.grant.GrantKind;
import dev.sluice.state.grant.GrantState;
import dev.sluice.testkit.FlakyBackend.Fault;
import dev.sluice.testkit.FlakyBackend.Verb;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * Three processes on bad lines and a clock of the test, in seeded random order on one thread: what
 * holders believe never exceeds what there is, and when the lines are good again nothing is left.
 */
class PermitBeliefTest {
  private static final int STEPS = 250;
  private static final int ALL = 1_000;

  /** A lease, and how much of the whole its holder believes to have. */
  private record Held(Lease lease, int units, DistributedReadWriteLock lock) {}

  private record Asked(
      CompletableFuture<Optional<Lease>> answer, int units, DistributedReadWriteLock lock) {}

  private static final class Run {
    private final ManualTime time = new ManualTime();
    private final Random random;
    private final boolean readWrite;
    private final int capacity;
    private final List<FlakyBackend> lines = new ArrayList<>();
    private final List<Sluice> clients = new ArrayList<>();
    private final List<Held> held = new ArrayList<>();
    private final List<Asked> asked = new ArrayList<>();
    private final Set<Long> tokens = new HashSet<>();
    private int granted;

    Run(long seed, boolean readWrite, Function<String, GrantState> state) {
      this.random = new Random(seed);
      this.readWrite = readWrite;
      this.capacity = readWrite ? ALL : 3;
      MemoryBackend store = FaultyMemory.permits(time::storeMicros, state);
      for (int i = 0; i < 3; i++) {
        FlakyBackend line = new FlakyBackend(store);
        lines.add(line);
        clients.add(
            Sluice.builder()
                .backend(line)
                .time(time, time)
                .random(new SplittableRandom(seed * 3 + i))
                .callbacks(Runnable::run)
                .build());
      }
    }

    int run() {
      for (int i = 0; i < STEPS; i++) {
        step();
        collect();
        check();
      }
      lines.forEach(FlakyBackend::heal);
      for (int i = 0; i < 100 && !(asked.isEmpty() && held.isEmpty()); i++) {
        held.forEach(each -> each.lease.releaseAsync());
        held.clear();
        time.advance(Duration.ofMillis(300));
        collect();
        check();
      }
      assertThat(asked).as("who still waits").isEmpty();
      time.advance(Duration.ofSeconds(3));
      PermitInfo info = clients.get(0).inspect().permits("x");
      assertThat(info.holders()).isEmpty();
      assertThat(info.waiters()).isEmpty();
      clients.forEach(Sluice::close);
      return granted;
    }

    private void step() {
      int dice = random.nextInt(100);
      if (dice < 35) {
        ask();
      } else if (dice < 60) {
        if (!held.isEmpty()) {
          held.remove(random.nextInt(held.size())).lease.releaseAsync();
        }
      } else if (dice < 75) {
        time.advance(Duration.ofMillis(random.nextInt(random.nextBoolean() ? 20 : 500)));
      } else if (dice < 80 && readWrite) {
        downgrade();
      } else {
        spoil();
      }
    }

    private void ask() {
      Sluice client = clients.get(random.nextInt(3));
      Duration ttl = Duration.ofMillis(200 + random.nextInt(3) * 400L);
      LockOptions options =
          random.nextBoolean() ? LockOptions.fixed(ttl) : LockOptions.renewing(ttl);
      if (random.nextInt(4) == 0) {
        options = options.sticky(Duration.ofMillis(300));
      }
      DistributedReadWriteLock lock =
          client.readWriteLock("x", options, ReadWriteOrder.values()[random.nextInt(2)]);
      boolean write = random.nextInt(3) == 0;
      int units = readWrite ? (write ? ALL : 1) : 1 + random.nextInt(3);
      AsyncSemaphore semaphore = client.semaphore("x", 3, options).async();
      AsyncLock side = (write ? lock.writeLock() : lock.readLock()).async();
      CompletionStage<Optional<Lease>> answer;
      if (random.nextInt(3) == 0) {
        answer = readWrite ? side.tryAcquire() : semaphore.tryAcquire(units);
      } else {
        Duration wait = Duration.ofMillis(random.nextInt(3000));
        answer =
            (readWrite ? side.acquire(wait) : semaphore.acquire(units, wait))
                .thenApply(Optional::of);
      }
      asked.add(new Asked(answer.toCompletableFuture(), units, lock));
    }

    private void downgrade() {
      for (Held each : held) {
        if (each.units == ALL && isHeld(each)) {
          held.remove(each);
          held.add(new Held(each.lock.downgrade(each.lease), 1, each.lock));
          return;
        }
      }
    }

    private void spoil() {
      FlakyBackend line = lines.get(random.nextInt(3));
      Verb verb = List.of(Verb.ACQUIRE, Verb.RENEW, Verb.RELEASE).get(random.nextInt(3));
      switch (random.nextInt(6)) {
        case 0, 1 -> line.next(verb, Fault.values()[random.nextInt(Fault.values().length)]);
        case 2 -> line.losesMessages(random.nextBoolean());
        case 3 -> {
          if (!line.acquires().isEmpty()) {
            line.deliverAgain(line.acquires().get(random.nextInt(line.acquires().size())));
          }
        }
        default -> {
          if (line.heldCalls() > 0) {
            FlakyBackend.Held call = line.takeHeld();
            if (random.nextBoolean()) {
              call.timeOut();
            }
            call.deliver();
          }
        }
      }
    }

    private void collect() {
      for (Asked each : List.copyOf(asked)) {
        if (!each.answer.isDone()) {
          continue;
        }
        asked.remove(each);
        if (each.answer.isCompletedExceptionally() || each.answer.join().isEmpty()) {
          continue;
        }
        Lease lease = each.answer.join().orElseThrow();
        assertThat(tokens.add(lease.token())).as("token %d is new", lease.token()).isTrue();
        held.add(new Held(lease, each.units, each.lock));
        granted++;
      }
    }

    private static boolean isHeld(Held each) {
      LeaseState state = each.lease.state();
      return state == LeaseState.HELD || state == LeaseState.IN_DOUBT;
    }

    private void check() {
      int units = held.stream().filter(Run::isHeld).mapToInt(Held::units).sum();
      assertThat(units).as("believed to be held").isLessThanOrEqualTo(capacity);
    }
  }

  @Test
  void beliefNeverExceedsWhatThereIs() {
    for (boolean readWrite : new boolean[] {false, true}) {
      int granted = 0;
      for (long seed = 0; seed < 150; seed++) {
        try {
          granted += new Run(seed, readWrite, name -> new GrantState(name, GrantKind.PERMIT)).run();
        } catch (AssertionError | RuntimeException e) {
          throw new AssertionError("seed " + seed + ", read-write " + readWrite, e);
        }
      }
      assertThat(granted).as("grants in all runs").isGreaterThan(150 * 10);
    }
  }

  @Test
  void storesThatDecideWronglyAreFound() {
    for (Function<String, GrantState> faulty :
        List.<Function<String, GrantState>>of(
            FaultyPermits::countsOneTooMany, FaultyPermits::releaseByClientAlone)) {
      GrantState sample = faulty.apply("x");
      assertThat(isFound(faulty)).as(sample.getClass().getName()).isTrue();
    }
  }

  private static boolean isFound(Function<String, GrantState> faulty) {
    for (long seed = 0; seed < 150; seed++) {
      for (boolean readWrite : new boolean[] {false, true}) {
        try {
          new Run(seed, readWrite, faulty).run();
        } catch (AssertionError | RuntimeException e) {
          return true;
        }
      }
    }
    return false;
  }
}
