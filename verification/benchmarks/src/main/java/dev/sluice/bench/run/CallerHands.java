package dev.sluice.bench.run;

import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Starts callers, lets them be measured, and stops them. */
abstract class CallerHands implements Hands {
  /** Those who call, once they were prepared. */
  @Nullable Callers callers;

  /** What is particular to the library. */
  abstract Reply prepare(Order order) throws Exception;

  @Override
  public final Reply follow(Order order) throws Exception {
    if (order instanceof Order.Go) {
      Hands.present(callers, order).start();
    } else if (order instanceof Order.Measure) {
      Hands.present(callers, order).measure();
    } else if (order instanceof Order.Pause) {
      Hands.present(callers, order).pause();
    } else if (order instanceof Order.Stop) {
      Callers done = Hands.present(callers, order);
      callers = null;
      return done.stop();
    } else {
      return prepare(order);
    }
    return new Reply.Done();
  }

  /** Keys of 18 characters, as those of users may be. */
  static List<String> keys(int from, int count) {
    return IntStream.range(from, from + count)
        .mapToObj(i -> "user/" + String.valueOf(10_000_000_000_000L + i).substring(1))
        .toList();
  }
}
