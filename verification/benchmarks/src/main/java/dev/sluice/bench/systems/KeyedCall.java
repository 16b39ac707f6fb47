package dev.sluice.bench.systems;

import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** A question about a key that is answered with yes or no. Safe for use by many threads. */
public interface KeyedCall {
  /**
   * Asks, and waits for the answer.
   *
   * @throws Exception if the library gave up before it had the store's word
   */
  boolean call(String key) throws Exception;

  /** The same without waiting. */
  CompletionStage<Boolean> later(String key);

  /** The waiting half of a call. */
  interface Blocking {
    /** Asks, and waits for the answer. */
    boolean call(String key) throws Exception;
  }

  /** A call of both halves. */
  static KeyedCall of(Blocking blocking, Function<String, CompletionStage<Boolean>> later) {
    return new KeyedCall() {
      @Override
      public boolean call(String key) throws Exception {
        return blocking.call(key);
      }

      @Override
      public CompletionStage<Boolean> later(String key) {
        return later.apply(key);
      }
    };
  }

  /** A call of which no other half is measured. */
  static KeyedCall of(Blocking blocking) {
    return of(
        blocking,
        key -> {
          throw Library.cannot("call without waiting");
        });
  }
}
