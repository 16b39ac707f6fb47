package dev.sluice.internal.lock;

import dev.sluice.lock.LockOptions;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
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
  private final LinkedHashSet<Waiter> waiters = new LinkedHashSet<>();

  /** The number of callers that want one reply only. */
  private int askingOnce;

  private int overtaking;

  WaitQueue(Effects effects) {
    this.effects = effects;
  }

  boolean isEmpty() {
    return waiters.isEmpty();
  }

  int size() {
    return waiters.size();
  }

  boolean contains(Waiter waiter) {
    return waiters.contains(waiter);
  }

  @Nullable Waiter first() {
    return waiters.isEmpty() ? null : waiters.iterator().next();
  }

  /** Whether a caller waits in the queue; one that wants a single attempt comes after it. */
  boolean hasStayers() {
    return waiters.size() > askingOnce;
  }

  /** {@return the units that all waiters need together} */
  long units() {
    long units = 0;
    for (Waiter waiter : waiters) {
      units += waiter.unitRequest.least();
    }
    return units;
  }

  /** Adds a caller to the end of the queue, or before all callers that are not first already. */
  void add(Waiter waiter) {
    askingOnce += waiter.once ? 1 : 0;
    if (!waiter.unitRequest.first()) {
      waiters.add(waiter);
      return;
    }
    List<Waiter> others = new ArrayList<>(waiters);
    others.removeIf(other -> other.unitRequest.first());
    others.forEach(waiters::remove);
    waiters.add(waiter);
    waiters.addAll(others);
  }

  void remove(Waiter waiter) {
    if (waiters.remove(waiter) && waiter.once) {
      askingOnce--;
    }
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
    if (askingOnce > 0) {
      waiters.forEach(waiter -> waiter.asked = true);
    }
  }

  /** Completes the callers that want one reply. */
  void dismissOnce(Outcome answer) {
    dismissOnce(false, answer);
  }

  /** Completes the callers that want one reply and came before the request was sent. */
  void dismissAsked(Outcome answer) {
    dismissOnce(true, answer);
  }

  private void dismissOnce(boolean askedOnly, Outcome answer) {
    if (askingOnce == 0) {
      return;
    }
    for (Waiter waiter : List.copyOf(waiters)) {
      if (waiter.once && (waiter.asked || !askedOnly)) {
        remove(waiter);
        effects.add(() -> waiter.finish(answer));
      }
    }
  }

  void failAll(Throwable failure) {
    for (Waiter waiter : waiters) {
      effects.add(() -> waiter.finish(new Outcome.Failed(failure)));
    }
    waiters.clear();
    askingOnce = 0;
  }

  /** Fails only the callers of this request and these options. */
  void failAlike(UnitRequest unitRequest, LockOptions options, Throwable failure) {
    for (Waiter waiter : alike(unitRequest, options)) {
      remove(waiter);
      effects.add(() -> waiter.finish(new Outcome.Failed(failure)));
    }
  }

  /** Puts the callers of this request and these options behind all others. */
  void putLast(UnitRequest unitRequest, LockOptions options) {
    List<Waiter> alike = alike(unitRequest, options);
    alike.forEach(waiters::remove);
    waiters.addAll(alike);
  }

  private List<Waiter> alike(UnitRequest unitRequest, LockOptions options) {
    List<Waiter> alike = new ArrayList<>(waiters);
    alike.removeIf(
        waiter -> !waiter.unitRequest.equals(unitRequest) || !waiter.options.equals(options));
    return alike;
  }
}
