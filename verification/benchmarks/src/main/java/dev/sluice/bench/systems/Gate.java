package dev.sluice.bench.systems;

import java.util.concurrent.CompletionStage;

/** A limiter as callers use it. Safe for use by many threads. */
public interface Gate {
  /**
   * Takes one permit, or is refused.
   *
   * @throws Exception if the library gave up before it had the store's word
   */
  boolean pass(String key) throws Exception;

  /** The same without waiting. */
  CompletionStage<Boolean> passLater(String key);
}
