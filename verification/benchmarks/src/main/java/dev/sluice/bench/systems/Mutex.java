package dev.sluice.bench.systems;

import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A lock as one thread uses it. Not shared between threads: it keeps what the thread holds. */
public interface Mutex {
  /** Waits until the lock is this thread's. */
  void acquire() throws Exception;

  /** Gives it back, and returns when the store has confirmed it. */
  void release() throws Exception;

  /** Half of a turn. */
  interface Step {
    /** Does it. */
    void run() throws Exception;
  }

  /** A lock of two steps. */
  static Mutex of(Step acquire, Step release) {
    return new Mutex() {
      @Override
      public void acquire() throws Exception {
        acquire.run();
      }

      @Override
      public void release() throws Exception {
        release.run();
      }
    };
  }

  /** A lock whose acquisition returns how to give it back; that returns false for a lost lease. */
  static Mutex ofLease(Callable<BooleanSupplier> lease) {
    return new Mutex() {
      private @Nullable BooleanSupplier held;

      @Override
      public void acquire() throws Exception {
        held = lease.call();
      }

      @Override
      public void release() {
        BooleanSupplier release = held;
        if (release == null || !release.getAsBoolean()) {
          throw new IllegalStateException("a lease was lost");
        }
        held = null;
      }
    };
  }
}
