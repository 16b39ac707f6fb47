package dev.sluice.bench.systems;

/** How a lock or a limiter is used, where a library lets its users choose. */
public enum Habit {
  /** The library's defaults. */
  PLAIN,
  /** The process keeps the idle lock for 30 s. */
  STICKY,
  /** One turn per process once another process waits. */
  ALTERNATING,
  /** The process takes permits in advance. */
  LEASING,
  /** A call gives up after one second. */
  IMPATIENT,
  /** One permit of a semaphore that has {@link FamilyKind#PERMITS}. */
  SEMAPHORE,
  /** The shared side of a read-write lock. */
  READ,
  /** The exclusive side of a read-write lock. */
  WRITE,
  /** As many locks at once as {@link FamilyKind#TOGETHER}, all or none. */
  TOGETHER,
  /** Each thread has {@link StockKind#UNDER_WAY} calls under way. */
  STREAMED,
  /** Nothing is left. */
  SOLD_OUT
}
