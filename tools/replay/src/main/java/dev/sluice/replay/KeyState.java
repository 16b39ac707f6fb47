package dev.sluice.replay;

import dev.sluice.state.LimitState;
import dev.sluice.state.QueueState;
import org.jspecify.annotations.Nullable;

/** The state of one key under one policy. */
final class KeyState {
  /** One for each tier; those of shared tiers are the same objects in every key. */
  final LimitState.Cell[] cells;

  final Span[] spans;
  final @Nullable QueueState queue;

  /** Callers who wait in the queue, and when the last of them has passed. */
  int queued;

  long drainedAt;

  /** Until then nothing passes. */
  long refusedUntil;

  /** From then on this says nothing any more. */
  long forgetAt;

  /** About how many bytes this takes up. */
  int weight;

  KeyState(LimitState.Cell[] cells, Span[] spans, @Nullable QueueState queue) {
    this.cells = cells;
    this.spans = spans;
    this.queue = queue;
  }
}
