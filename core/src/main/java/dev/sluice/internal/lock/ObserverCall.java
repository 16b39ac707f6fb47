package dev.sluice.internal.lock;

import dev.sluice.internal.call.Failures;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockObserver;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.LockTimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Calls an observer for one caller, and catches its exceptions. */
final class ObserverCall {
  private static final System.Logger LOG = System.getLogger("dev.sluice.lock");

  private final LockObserver.AcquireObserver acquireObserver;

  private ObserverCall(LockObserver.AcquireObserver acquireObserver) {
    this.acquireObserver = acquireObserver;
  }

  /** {@return null without an observer, at no cost} */
  static @Nullable ObserverCall start(
      @Nullable LockObserver observer, String name, LockOptions options) {
    if (observer == null) {
      return null;
    }
    LockObserver.AcquireObserver acquireObserver = guarded(() -> observer.onAcquire(name, options));
    return acquireObserver == null ? null : new ObserverCall(acquireObserver);
  }

  /** Reports the caller's outcome. */
  void end(Outcome outcome) {
    if (outcome instanceof LocalLease lease) {
      LockObserver.LeaseObserver leaseObserver = guarded(() -> acquireObserver.onGranted(lease));
      if (leaseObserver != null) {
        lease.watchedBy(leaseObserver);
      }
    } else if (!(outcome instanceof Outcome.Failed failed)) {
      guarded(() -> acquireObserver.onRefused(false));
    } else if (failed.failure() instanceof LockTimeoutException) {
      guarded(() -> acquireObserver.onRefused(true));
    } else {
      guarded(() -> acquireObserver.onFailed(Failures.unwrap(failed.failure())));
    }
  }

  static void changed(LockObserver.LeaseObserver leaseObserver, LeaseState state) {
    guarded(() -> leaseObserver.onChange(state));
  }

  static void renewed(LockObserver.LeaseObserver leaseObserver) {
    guarded(leaseObserver::onRenewed);
  }

  private static void guarded(Runnable call) {
    guarded(
        () -> {
          call.run();
          return Boolean.TRUE;
        });
  }

  private static <T> @Nullable T guarded(Supplier<T> call) {
    try {
      return call.get();
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, "an observer of locks failed", e);
      return null;
    }
  }
}
