package dev.sluice.internal.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A queue of a {@link GrantCoordinator}'s pending effects: requests, wake-ups, notifications.
 * Decided under the coordinator's monitor, done outside of it, and in the order of the decisions: a
 * release must not reach the store after the acquire that follows it. So one thread at a time runs
 * effects for all.
 *
 * <p>A caller that comes within an effect, such as an observer that takes the lock, may wait for
 * what it adds: it runs that itself, {@link #decide}. A store that answers synchronously answers
 * within the effect that sent the request. The effects of that answer wait until this effect has
 * ended, {@link #react}. Otherwise two threads that keep each other busy would overflow the stack
 * of one.
 */
final class Effects {
  private static final System.Logger LOG = System.getLogger("dev.sluice.lock");

  private final Object monitor;

  // all below guarded by the monitor
  private List<Runnable> waiting = new ArrayList<>(4);
  private @Nullable Thread runner;
  private int depth;

  /** The effects that the runner has taken out, and how many of them it has begun. Its own. */
  private List<Runnable> taken = new ArrayList<>(4);

  private int begun;

  /**
   * @param monitor the coordinator
   */
  Effects(Object monitor) {
    this.monitor = monitor;
  }

  /** {@return the lock that guards the state of the effects} */
  Object monitor() {
    return monitor;
  }

  /** Called under the monitor. */
  void add(Runnable effect) {
    waiting.add(effect);
  }

  /**
   * Runs a caller's decision under the monitor, and its effects outside.
   *
   * @return what the decision returned
   */
  <T> T decide(Supplier<T> decision) {
    T decided;
    boolean act;
    synchronized (monitor) {
      decided = decision.get();
      act = claim();
    }
    run(act);
    return decided;
  }

  /**
   * Runs a decision without a caller: of a reply, a message or a timer. An effect that is under way
   * goes to its end first.
   */
  void react(Runnable decision) {
    boolean act;
    synchronized (monitor) {
      decision.run();
      act = runner == null && claim();
    }
    run(act);
  }

  /**
   * Called under the monitor: whether this thread must {@link #run} the effects; it may be called
   * again in an effect.
   */
  private boolean claim() {
    Thread self = Thread.currentThread();
    if (waiting.isEmpty() || (runner != null && runner != self)) {
      return false;
    }
    runner = self;
    if (depth++ == 0) {
      take();
    }
    return true;
  }

  private void run(boolean claimed) {
    if (!claimed) {
      return;
    }
    for (Runnable effect; (effect = next()) != null; ) {
      try {
        effect.run();
      } catch (Throwable e) { // one that fails must not keep the next request from leaving
        LOG.log(System.Logger.Level.WARNING, "a caller could not be notified", e);
      }
    }
  }

  /** The next effect; what an effect within an effect adds comes after those taken out before. */
  private @Nullable Runnable next() {
    if (begun == taken.size()) {
      synchronized (monitor) {
        if (waiting.isEmpty()) {
          if (--depth == 0) {
            taken.clear();
            begun = 0;
            runner = null;
          }
          return null;
        }
        take();
      }
    }
    return taken.get(begun++);
  }

  /** Called under the monitor, once all that was taken has begun. */
  private void take() {
    List<Runnable> done = taken;
    done.clear();
    begun = 0;
    taken = waiting;
    waiting = done;
  }
}
