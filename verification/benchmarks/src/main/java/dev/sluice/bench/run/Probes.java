package dev.sluice.bench.run;

import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.systems.Peer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Measures Bloom filters. */
public final class Probes {
  private final Bench bench;
  private final Fleet fleet;

  public Probes(Bench bench, Peer kind) {
    this.bench = bench;
    this.fleet = bench.fleet(kind, Bench.DEFAULT_TTL);
  }

  /** Makes a filter, and fills it if so wanted. */
  public void fill(String filter, int size, double rate, boolean full) throws InterruptedException {
    fleet.ask(Reply.Done.class, new Order.Fill(filter, size, rate, full));
  }

  /**
   * Takes one measurement of callers in one process.
   *
   * @param elements how many elements they choose from, at random
   * @param callers threads, or calls in flight
   */
  public Sample run(
      String filter,
      Task task,
      int elements,
      int callers,
      boolean async,
      Duration leadIn,
      Duration window,
      boolean census)
      throws InterruptedException, IOException {
    Order.Calls calls = new Order.Calls(1, callers, async, 1, 0, false);
    fleet.ask(Reply.Done.class, new Order.Probe(filter, task, elements, calls));
    Counters before = bench.server().counters();
    fleet.ask(Reply.Done.class, new Order.Go());
    Bench.Phases<Reply.Admissions> done =
        bench.phases(fleet, 1, Reply.Admissions.class, leadIn, window, census);
    Reply.Admissions reply = done.replies().get(0);
    if (reply.refused() > 0) {
      throw new IllegalStateException(
          reply.refused() + " calls were told that an element is absent");
    }
    double total = reply.outcome().total();
    return Bench.sample(List.of(reply.outcome()), before, done)
        .put(Metric.FAILED, reply.failed())
        .put(
            Metric.SCRIPT_CPU, done.after().microsSince(before, "evalsha", "eval", "fcall") / total)
        .put(
            Metric.COMMAND_CPU,
            done.after().microsSince(before, "evalsha", "eval", "fcall", "bitfield", "bitfield_ro")
                / total);
  }

  /**
   * {@return milliseconds of the longest command while elements are added and asked for at once}
   */
  public double longestMillis(String filter, int elements) throws InterruptedException {
    bench.server().watchSlow();
    fleet.ask(Reply.Done.class, new Order.AtOnce(filter, elements));
    return bench.server().longestMillis();
  }

  /** {@return how many elements that were not added are said to be there} */
  public long wrong(String filter, int from, int count) throws InterruptedException {
    return fleet.ask(Reply.Wrong.class, new Order.AskAbsent(filter, from, count)).count();
  }
}
