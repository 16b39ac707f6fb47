package dev.sluice.bench.systems;

import java.util.concurrent.locks.Lock;

/** A peer's lock that shows itself as a {@link Lock}. */
record JucMutex(Lock lock) implements Mutex {

  @Override
  public void acquire() {
    lock.lock();
  }

  @Override
  public void release() {
    lock.unlock();
  }
}
