package dev.sluice.bench.run;

import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.systems.Allowance;
import dev.sluice.bench.systems.Habit;
import dev.sluice.bench.systems.LimitKind;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Measures limiters. */
public final class Admissions {
  /** The store's clock has whole microseconds. */
  private static final long TICK_NANOS = 1000;

  private Admissions() {}

  /**
   * One measurement: who, asking for what, how long.
   *
   * @param limiter name of the limiter, fresh for each measurement
   * @param keys how many keys the callers ask for, at random
   * @param callers threads of each process, or calls in flight
   * @param perSecond calls per second that all callers try to make; 0 for as many as they can
   * @param recorded whether every admission is held against the allowance
   */
  public record Trial(
      LimitKind kind,
      Habit habit,
      Allowance allowance,
      String limiter,
      int keys,
      int processes,
      int callers,
      boolean async,
      int sampleEvery,
      long perSecond,
      boolean recorded,
      Duration leadIn,
      Duration window,
      boolean census) {}

  /** Takes one measurement. */
  public static Sample run(Bench bench, Trial trial) throws InterruptedException, IOException {
    Fleet fleet = bench.fleet(trial.kind(), Bench.DEFAULT_TTL);
    int processes = trial.processes();
    fleet.grow(processes);
    long everyNanos =
        trial.perSecond() == 0
            ? 0
            : TimeUnit.SECONDS.toNanos(1) * processes * trial.callers() / trial.perSecond();
    fleet.askEach(
        processes,
        Reply.Done.class,
        process ->
            new Order.Admit(
                trial.limiter(),
                trial.allowance(),
                trial.habit(),
                trial.keys(),
                new Order.Calls(
                    process,
                    trial.callers(),
                    trial.async(),
                    trial.sampleEvery(),
                    everyNanos,
                    trial.recorded())));
    Counters before = bench.server().counters();
    fleet.askEach(processes, Reply.Done.class, process -> new Order.Go());
    Bench.Phases<Reply.Admissions> done =
        bench.phases(
            fleet,
            processes,
            Reply.Admissions.class,
            trial.leadIn(),
            trial.window(),
            trial.census());
    bench.server().empty();
    return sample(trial, before, done);
  }

  private static Sample sample(Trial trial, Counters before, Bench.Phases<Reply.Admissions> done) {
    List<Reply.Admissions> replies = done.replies();
    List<Reply.Outcome> outcomes = replies.stream().map(Reply.Admissions::outcome).toList();
    double total = outcomes.stream().mapToLong(Reply.Outcome::total).sum();
    Counters after = done.after();
    Sample sample = Bench.sample(outcomes, before, done);
    sample
        .put(Metric.REFUSED, replies.stream().mapToLong(Reply.Admissions::refused).sum() / total)
        .put(Metric.FAILED, replies.stream().mapToLong(Reply.Admissions::failed).sum())
        .put(Metric.SCRIPTS, after.since(before, "evalsha", "eval", "fcall") / total)
        .put(Metric.SCRIPT_CPU, after.microsSince(before, "evalsha", "eval", "fcall") / total);
    if (trial.recorded()) {
      long[] asked = join(replies.stream().map(Reply.Admissions::asked).toList());
      long[] answered = join(replies.stream().map(Reply.Admissions::answered).toList());
      long first = replies.stream().mapToLong(Reply.Admissions::firstAsked).min().orElseThrow();
      long last = replies.stream().mapToLong(Reply.Admissions::lastAsked).max().orElseThrow();
      Allowance allowance = trial.allowance();
      double possible =
          allowance.capacity()
              + (double) (last - first) * allowance.count() / allowance.period().toNanos();
      sample
          .put(Metric.ADMITTED, asked.length)
          .put(Metric.UNUSED, 100 * (1 - asked.length / possible))
          .put(Metric.EXCESS, excess(allowance, asked, answered));
    }
    return sample;
  }

  private static long[] join(List<long[]> parts) {
    return parts.stream().flatMapToLong(LongStream::of).toArray();
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
