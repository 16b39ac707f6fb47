package dev.sluice.bench.torture;

import dev.sluice.lock.LeaseState;
import dev.sluice.verification.torture.LockClient.Hold;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;

/**
 * A lock that shows itself as a {@link Lock}: its holder relies on it until the unlock, because it
 * gets no message of a loss.
 *
 * @param lock held by the current thread
 * @param token its fencing token, or zero
 */
record JucHold(Lock lock, long token) implements Hold {
  @Override
  public long remainingNanos() {
    return Long.MAX_VALUE;
  }

  @Override
  public void onChange(Consumer<LeaseState> listener) {
    // it reports nothing
  }

  @Override
  public boolean release() {
    lock.unlock();
    return true;
  }
}
