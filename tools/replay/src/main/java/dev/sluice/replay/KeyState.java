package dev.sluice.replay;

import dev.sluice.state.LimitState;
import dev.sluice.state.QueueState;
import org.jspecify.annotations.Nullable;

/** The state of one key under one policy. */
final class KeyState {
  /** One state for each tier; a shared tier has the same objects in every key. */
  final LimitState.Cell[] cells;

  final Span[] spans;
  final @Nullable QueueState queue;

  /** Callers in the queue, and the time at which the last of them passes. */
  int queued;

  long drainedAt;

  /** The time until which nothing passes. */
  long refusedUntil;

  /** The time from which this state has no effect. */
  long forgetAt;

  /** The approximate size in bytes. */
  int weight;

  KeyState(LimitState.Cell[] cells, Span[] spans, @Nullable QueueState queue) {
    this.cells = cells;
    this.spans = spans;
    this.queue = queue;
  }
}
