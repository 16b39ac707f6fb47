package dev.sluice.bench.systems;

import java.util.List;

/** The lock of a library that is measured, and its option. */
public enum LockUse {
  /** A lock with the defaults of the library. */
  PLAIN,
  /** The process keeps the idle lock for 30 s. */
  STICKY,
  /** One turn per process once another process waits. */
  ALTERNATING,
  /** One permit of a semaphore of {@link #PERMITS}. */
  SEMAPHORE,
  /** The shared side of a read-write lock. */
  READ,
  /** The exclusive side of a read-write lock. */
  WRITE,
  /** Three locks together, all or none. */
  TOGETHER;

  static final int PERMITS = 8;

  /** {@return the names of the locks of {@link #TOGETHER}} */
  static List<String> together(String name) {
    return List.of(name + "/a", name + "/b", name + "/c");
  }
}
