package dev.sluice.bench.systems;

/** A lock as one thread uses it. Not shared between threads: it keeps what the thread holds. */
public interface Mutex {
  /** Waits until the lock is this thread's. */
  void acquire() throws Exception;

  /** Gives it back, and returns when the store has confirmed it. */
  void release() throws Exception;
}
