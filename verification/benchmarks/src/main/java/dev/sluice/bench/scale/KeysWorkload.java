package dev.sluice.bench.scale;

import dev.sluice.bench.chapter.Row;
import dev.sluice.bench.chapter.RunPlan;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.systems.Candidate;
import java.time.Duration;
import java.util.List;

/** Few clients, and more and more keys at the server. */
final class KeysWorkload implements Workload {
  /** Short, so that what is measured is the key of a name of twelve characters. */
  private static final String NAME = "key/";

  private static final Candidate REDIS = SluiceCrowd.CANDIDATES.get(0);

  private final String id;
  private final String title;
  private final ClientTask task;
  private final List<Integer> sizes;
  private final int clients;
  private long emptyBytes;

  /** The numbers of keys, from the least. */
  KeysWorkload(String id, String title, ClientTask task, Sizes sizes) {
    this.id = id;
    this.title = title;
    this.task = task;
    this.sizes = sizes.keys();
    this.clients = sizes.few();
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public String title() {
    return title;
  }

  @Override
  public String meaning() {
    return "The library writes one key, the server copies it under other names of the same length,"
        + " with an expiry of an hour; then "
        + clients
        + " clients use names at random. One round for each number of keys. Before it all names are"
        + " written again.";
  }

  List<Integer> sizes() {
    return sizes;
  }

  static String label(int size) {
    return CrowdWorkload.label(size, "key");
  }

  @Override
  public List<Metric> columns() {
    return List.of(
        Metric.OPS,
        Metric.OP_P50,
        Metric.OP_P99,
        Metric.SENT,
        Metric.CLIENT_CPU,
        Metric.SERVER_CPU,
        Metric.BYTES,
        Metric.BYTES_USED);
  }

  @Override
  public List<Row> rows() {
    return sizes.stream().map(size -> new Row(label(size), REDIS)).toList();
  }

  @Override
  public void warmUp(Bench bench, Row row, RunPlan plan) throws Exception {
    if (row.label().equals(label(sizes.get(0)))) {
      Crowds.gather(bench, REDIS, clients);
      trial(bench, sizes.get(0), plan.warmUp(), Duration.ofMillis(100));
      bench.server().empty();
      emptyBytes = CrowdServer.of(bench).settledBytes();
    }
  }

  @Override
  public Sample measure(Bench bench, Row row, int round, RunPlan plan) throws Exception {
    int size =
        sizes.stream().filter(each -> label(each).equals(row.label())).findFirst().orElseThrow();
    long one = Crowds.fill(bench, task, NAME, size);
    double bytes = (double) (CrowdServer.of(bench).settledBytes() - emptyBytes) / size;
    Sample sample = trial(bench, size, plan.leadIn(), plan.window());
    if (size == sizes.get(sizes.size() - 1)) {
      bench.server().empty();
    }
    return sample.put(Metric.BYTES, one).put(Metric.BYTES_USED, bytes);
  }

  private Sample trial(Bench bench, int size, Duration leadIn, Duration window) throws Exception {
    return Crowds.run(bench, new Crowds.Trial(REDIS, task, NAME, clients, size, leadIn, window));
  }

  @Override
  public List<Goal> goals(Results results) {
    return List.of();
  }
}
