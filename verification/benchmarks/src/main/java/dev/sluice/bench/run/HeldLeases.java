package dev.sluice.bench.run;

import dev.sluice.bench.systems.SluiceSystem;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;

/** Many leases held at once, with what happened to them. */
final class HeldLeases {
  private final AtomicReferenceArray<Lease> leases;
  private final LongAdder doubts = new LongAdder();
  private final LongAdder losses = new LongAdder();
  private final int threads;

  private HeldLeases(int count, int threads) {
    this.leases = new AtomicReferenceArray<>(count);
    this.threads = threads;
  }

  static HeldLeases take(SluiceSystem system, Order.TakeMany order) throws Exception {
    HeldLeases held = new HeldLeases(order.count(), order.threads());
    held.each(
        i -> {
          Lease lease = system.lock(order.prefix() + i).acquire(Duration.ofSeconds(30));
          lease.onChange(held::changed);
          held.leases.set(i, lease);
        });
    return held;
  }

  private void changed(Lease lease, LeaseState state) {
    if (state == LeaseState.IN_DOUBT) {
      doubts.increment();
    } else if (state == LeaseState.LOST) {
      losses.increment();
    }
  }

  Reply.Held report() {
    int good = 0;
    for (int i = 0; i < leases.length(); i++) {
      if (leases.get(i).state() == LeaseState.HELD) {
        good++;
      }
    }
    return new Reply.Held(good, doubts.sum(), losses.sum(), Crew.cpuNanos());
  }

  void give() throws Exception {
    each(i -> leases.get(i).release());
  }

  private interface Step {
    void on(int index) throws Exception;
  }

  private void each(Step step) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> parts = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        int first = t;
        parts.add(
            pool.submit(
                () -> {
                  for (int i = first; i < leases.length(); i += threads) {
                    step.on(i);
                  }
                  return null;
                }));
      }
      for (Future<?> part : parts) {
        part.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("held leases: " + e.getCause(), e);
    } finally {
      pool.shutdownNow();
    }
  }
}
