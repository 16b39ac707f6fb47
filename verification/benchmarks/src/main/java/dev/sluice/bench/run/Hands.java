package dev.sluice.bench.run;

import org.jspecify.annotations.Nullable;

/** What a worker process does with its library. */
interface Hands {
  /** Does as told; an order that is not for this library is answered with Done. */
  Reply follow(Order order) throws Exception;

  static <T> T present(@Nullable T thing, Order order) {
    if (thing == null) {
      throw new IllegalStateException("nothing to do this with: " + order);
    }
    return thing;
  }
}
