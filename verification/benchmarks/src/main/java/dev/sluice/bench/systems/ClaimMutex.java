package dev.sluice.bench.systems;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** A turn is a call that is sent and not waited for; so many are under way at a time. */
final class ClaimMutex implements Mutex {
  private final Supplier<CompletionStage<Boolean>> claim;
  private final Semaphore room;
  private final AtomicReference<String> wrong = new AtomicReference<>();

  /**
   * One thread's calls.
   *
   * @param claim sends one; true if it was accepted
   * @param underWay how many at a time
   */
  ClaimMutex(Supplier<CompletionStage<Boolean>> claim, int underWay) {
    this.claim = claim;
    this.room = new Semaphore(underWay);
  }

  @Override
  public void acquire() throws InterruptedException {
    room.acquire();
    claim
        .get()
        .whenComplete(
            (accepted, failure) -> {
              room.release();
              if (failure != null || !accepted) {
                wrong.set(String.valueOf(failure));
              }
            });
    if (wrong.get() != null) {
      throw new IllegalStateException("a claim was not accepted: " + wrong.get());
    }
  }

  @Override
  public void release() {
    // a claim is not given back
  }
}
