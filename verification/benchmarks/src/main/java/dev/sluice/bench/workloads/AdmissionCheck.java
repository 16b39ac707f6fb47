package dev.sluice.bench.workloads;

import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.run.LoopOutcome;
import dev.sluice.bench.systems.Allowance;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Holds every admission of a limiter against what it may let through. */
final class AdmissionCheck {
  /** The store's clock has whole microseconds. */
  private static final long TICK_NANOS = 1000;

  private AdmissionCheck() {}

  static Sample add(Sample sample, Allowance allowance, List<LoopOutcome> outcomes) {
    long[] asked = outcomes.stream().flatMapToLong(each -> LongStream.of(each.asked())).toArray();
    long[] answered =
        outcomes.stream().flatMapToLong(each -> LongStream.of(each.answered())).toArray();
    long first = outcomes.stream().mapToLong(LoopOutcome::firstAsked).min().orElseThrow();
    long last = outcomes.stream().mapToLong(LoopOutcome::lastAsked).max().orElseThrow();
    double possible =
        allowance.capacity()
            + (double) (last - first) * allowance.count() / allowance.period().toNanos();
    return sample
        .put(Metric.ADMITTED, asked.length)
        .put(Metric.UNUSED, 100 * (1 - asked.length / possible))
        .put(Metric.EXCESS, excess(allowance, asked, answered));
  }

  /**
   * How many more calls than allowed were certainly let through within one span, at the worst. A
   * decision falls between question and answer; so the calls that were asked and answered within a
   * span were also decided in it, however long threads were kept waiting.
   */
  static long excess(Allowance allowance, long[] asked, long[] answered) {
    int[] latestFirst =
        IntStream.range(0, asked.length)
            .boxed()
            .sorted(Comparator.comparingLong((Integer i) -> asked[i]).reversed())
            .mapToInt(Integer::intValue)
            .toArray();
    long[] ends = new long[asked.length]; // in order, of all calls asked at this time or later
    int count = 0;
    long worst = 0;
    for (int call : latestFirst) {
      long end = answered[call];
      int at = Arrays.binarySearch(ends, 0, count, end);
      at = at < 0 ? -at - 1 : at;
      System.arraycopy(ends, at, ends, at + 1, count - at);
      ends[at] = end;
      count++;
      worst = Math.max(worst, excessFrom(allowance, asked[call], ends, count));
    }
    return worst;
  }

  private static long excessFrom(Allowance allowance, long from, long[] ends, int count) {
    boolean window = allowance.shape() == Allowance.Shape.WINDOW;
    long longest = window ? allowance.period().toNanos() - TICK_NANOS : Long.MAX_VALUE;
    long worst = 0;
    for (int i = 0; i < count && ends[i] - from <= longest; i++) {
      worst = Math.max(worst, i + 1 - allowance.bound(ends[i] - from + TICK_NANOS));
    }
    return worst;
  }
}
