package dev.sluice.internal.lock;

import dev.sluice.lock.LockOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The local callers that wait for one name, in order. Guarded by the monitor of its coordinator.
 */
final class WaitQueue {
  /*
   * What is released is not given to the next thread but left free while that thread wakes up, and
   * a running thread may take it in between (as Go's sync.Mutex and WebKit's WTF::Lock do); once
   * the called thread has arrived, the next release is its own. Strict hand-over would cost a
   * thread switch for each turn, fifty times the price of a short section.
   */

  /** The most grants that running threads take while the first waiter wakes up. */
  private static final int MAX_OVERTAKING = 1000;

  private final Effects effects;
  private @Nullable Waiter first;
  private @Nullable Waiter last;
  private int size;

  /** The number of callers that want one reply only. */
  private int askingOnce;

  private int overtaking;

  WaitQueue(Effects effects) {
    this.effects = effects;
  }

  boolean isEmpty() {
    return first == null;
  }

  int size() {
    return size;
  }

  @Nullable Waiter first() {
    return first;
  }

  /** Whether a caller waits in the queue; one that wants a single attempt comes after it. */
  boolean hasStayers() {
    return size > askingOnce;
  }

  /** {@return the units that all waiters need together} */
  long units() {
    long units = 0;
    for (Waiter waiter = first; waiter != null; waiter = waiter.after) {
      units += waiter.unitRequest.least();
    }
    return units;
  }

  /** Adds a caller to the end of the queue, or before all callers that are not first already. */
  void add(Waiter waiter) {
    Waiter next = waiter.unitRequest.first() ? first : null;
    while (next != null && next.unitRequest.first()) {
      next = next.after;
    }
    insert(waiter, next);
  }

  private void insert(Waiter waiter, @Nullable Waiter next) {
    Waiter previous = next == null ? last : next.before;
    waiter.before = previous;
    waiter.after = next;
    if (previous == null) {
      first = waiter;
    } else {
      previous.after = waiter;
    }
    if (next == null) {
      last = waiter;
    } else {
      next.before = waiter;
    }
    waiter.queued = true;
    size++;
    askingOnce += waiter.once ? 1 : 0;
  }

  /** Has no effect if the caller is not in the queue. */
  void remove(Waiter waiter) {
    if (!waiter.queued) {
      return;
    }
    if (waiter.before == null) {
      first = waiter.after;
    } else {
      waiter.before.after = waiter.after;
    }
    if (waiter.after == null) {
      last = waiter.before;
    } else {
      waiter.after.before = waiter.before;
    }
    waiter.before = null;
    waiter.after = null;
    waiter.queued = false;
    size--;
    askingOnce -= waiter.once ? 1 : 0;
  }

  // ---- waking up the first ----

  /**
   * Whether a running thread may take a free grant while the first waiter wakes up. It must need
   * the same units, because a reader must not overtake a writer that was woken.
   */
  boolean mayOvertake(UnitRequest unitRequest) {
    return first() instanceof Waiter.OfThread thread
        && thread.unitRequest.equals(unitRequest)
        && thread.called
        && !thread.arrived
        && !thread.options.isFair()
        && overtaking < MAX_OVERTAKING;
  }

  /** Counts a caller that {@linkplain #mayOvertake has overtaken}. */
  void overtook() {
    overtaking++;
  }

  /** Whether the first waiter must come for the free grant, and other threads may be faster. */
  boolean calls(Waiter head) {
    if (!(head instanceof Waiter.OfThread thread)
        || thread.once
        || thread.arrived
        || thread.options.isFair()
        || (thread.called && overtaking >= MAX_OVERTAKING)) {
      return false;
    }
    if (!thread.called) {
      thread.called = true;
      overtaking = 0;
      effects.add(thread::wake);
    }
    return true;
  }

  // ---- answers ----

  /** A request is sent now, so its reply is current for all callers that came before. */
  void markAsked() {
    if (askingOnce == 0) {
      return;
    }
    for (Waiter waiter = first; waiter != null; waiter = waiter.after) {
      waiter.asked = true;
    }
  }

  /** Completes the callers that want one reply. */
  void dismissOnce(Outcome answer) {
    if (askingOnce > 0) {
      finish(waiter -> waiter.once, answer);
    }
  }

  /** Completes the callers that want one reply and came before the request was sent. */
  void dismissAsked(Outcome answer) {
    if (askingOnce > 0) {
      finish(waiter -> waiter.once && waiter.asked, answer);
    }
  }

  void failAll(Throwable failure) {
    finish(waiter -> true, new Outcome.Failed(failure));
  }

  /** Fails only the callers of this request and these options. */
  void failAlike(UnitRequest unitRequest, LockOptions options, Throwable failure) {
    finish(waiter -> waiter.isAlike(unitRequest, options), new Outcome.Failed(failure));
  }

  private void finish(Predicate<Waiter> which, Outcome outcome) {
    for (Waiter waiter : all(which)) {
      serve(waiter, outcome);
    }
  }

  /** Removes a caller and ends its wait. */
  void serve(Waiter waiter, Outcome outcome) {
    remove(waiter);
    if (!waiter.finishOwn(outcome)) {
      effects.add(() -> waiter.finish(outcome));
    }
  }

  /** Puts the callers of this request and these options behind all others. */
  void putLast(UnitRequest unitRequest, LockOptions options) {
    for (Waiter waiter : all(waiter -> waiter.isAlike(unitRequest, options))) {
      remove(waiter);
      insert(waiter, null);
    }
  }

  private List<Waiter> all(Predicate<Waiter> which) {
    List<Waiter> found = new ArrayList<>();
    for (Waiter waiter = first; waiter != null; waiter = waiter.after) {
      if (which.test(waiter)) {
        found.add(waiter);
      }
    }
    return found;
  }
}
