package dev.sluice.redis.verbs;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongBinaryOperator;

/**
 * Judges what was admitted, from outside.
 *
 * <p>A caller reads the wall clock before it asks and after it was told. All processes and the
 * server run on one machine and read one clock, so the store decided at some moment between the
 * two, and a permit of a lease was used between the two. Take any two readings {@code from} and
 * {@code to}: every admission that was asked for at {@code from} or later and told at {@code to} or
 * earlier lies in that span, whatever the order within. If there are more of them than the bound of
 * the span, the limit was broken; no slowness of caller, network or server can make it look so.
 * Every pair of a first and a last reading is tried.
 */
final class ObservedAdmissions {

  /** One admission: readings of the wall clock around it, in microseconds. */
  record Admission(long asked, long told) {}

  private final List<Admission> all = new ArrayList<>();

  void add(long asked, long told) {
    all.add(new Admission(asked, told));
  }

  int count() {
    return all.size();
  }

  /**
   * {@return by how many permits the worst span exceeds its bound; 0 if none does}
   *
   * @param bound most permits in the closed span between two moments, in microseconds
   */
  long excess(LongBinaryOperator bound) {
    List<Admission> byEnd = new ArrayList<>(all);
    byEnd.sort(Comparator.comparingLong(Admission::told));
    long worst = 0;
    for (long from : all.stream().mapToLong(Admission::asked).distinct().toArray()) {
      long inside = 0;
      for (Admission admission : byEnd) {
        if (admission.asked >= from) {
          inside++;
          // the clock's readings are cut to microseconds
          worst = Math.max(worst, inside - bound.applyAsLong(from, admission.told + 1));
        }
      }
    }
    return worst;
  }
}
