package dev.sluice.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.scale.sim.Costs;
import dev.sluice.bench.scale.sim.Models;
import dev.sluice.bench.scale.sim.Population;
import dev.sluice.bench.scale.sim.Prediction;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Predicate;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

/** The table that holds the simulation against measured points says so when the two differ. */
class ForecastTest {
  private static final int CORES = 2;
  private static final Costs TRUE_LOCKS = new Costs(2, 20, 8, 25, 12, 15);
  private static final Costs TRUE_HAND_OVERS = new Costs(3, 30, 8, 40, 12, 15);
  private static final Sizes SIZES =
      new Sizes(
          List.of(1, 10, 50, 200), List.of(1, 10, 50, 200), List.of(), 2, List.of(1, 2, 6), "");
  private static final Models.Span SPAN = new Models.Span(0.2, 0.8);

  @Test
  void whatTheModelMadeIsPredictedWell() {
    Section table = table(world(1, 1));

    assertThat(table.results().labels())
        .hasSize(2 * 2 * 3 + 1)
        .contains("Own locks, 10 clients: rate", "One hot lock, 200 waiters: p99 us");
    assertThat(table.goals()).filteredOn(Predicate.not(Goal::met)).isEmpty();
    assertThat(table.table()).contains("| measured").contains("| predicted").contains("off by x");
  }

  @Test
  void aServerThatIsTakenForFasterThanItIsShows() {
    Section table = table(world(0.3, 1));

    assertThat(table.goals())
        .filteredOn(Predicate.not(Goal::met))
        .extracting(Goal::text)
        .contains("Simulation, Own locks, 200 clients: rate, off by");
    assertThat(Section.goalTable(table.goals())).contains("| NO");
  }

  @Test
  void clientsThatAreTakenForSlowerThanTheyAreShow() {
    assertThat(table(world(1, 4)).goals())
        .filteredOn(Predicate.not(Goal::met))
        .extracting(Goal::text)
        .contains("Simulation, Own locks, 200 clients: rate, off by");
  }

  @Test
  void aBusThatDoesNotGrowEvenlyShows() {
    List<Section> measured = List.of(pairs(100, 300, 200));

    Section table = table(measured);

    assertThat(table.goals()).singleElement().matches(Predicate.not(Goal::met));
    assertThat(table(List.of(pairs(100, 120, 200))).goals()).allMatch(Goal::met);
  }

  @Test
  void largeFleetsAreForecast() {
    Results forecast = forecast(world(1, 1)).prediction().results();

    assertThat(forecast.labels()).contains("own locks, 10/s each, 100 masters");
    assertThat(forecast.of("own locks, 10/s each, 100 masters", Metric.OPS).median())
        .isBetween(38_000.0, 41_000.0);
    // 1e6 / 40 us is all that one master can do
    assertThat(forecast.of("own locks, 10/s each, 1 master", Metric.OPS).median())
        .isBetween(23_000.0, 26_000.0);
    assertThat(forecast.of("own locks, 10/s each, 1 master", Metric.UTILISATION).median())
        .isBetween(98.0, 100.0);
  }

  @Test
  void nothingMeasuredIsNothingForecast() {
    assertThat(forecast(List.of()).sections()).isEmpty();
  }

  @Test
  void theChartIsWellFormedAndDrawsBoth() throws Exception {
    List<Section> measured = world(1, 1);
    Forecast forecast = forecast(measured);
    forecast.validation();

    String svg = ScaleChart.draw(measured, SIZES, forecast);

    Document document =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    // rate, p50 and CPU of own locks, p50 and p99 of hand-overs, hand-overs on clusters
    assertThat(document.getElementsByTagName("circle").getLength()).isEqualTo(5 * 4 + 3);
    assertThat(svg).contains("own locks, simulated").contains("dashed").doesNotContain("NaN");
  }

  @Test
  void whatAMachineCannotBearIsLeftOutAndSaid() {
    Sizes all =
        new Sizes(
            List.of(1), List.of(1_000, 10_000), List.of(1_000_000, 10_000_000), 2, List.of(1), "");

    assertThat(all.within(new Limits(20_000, 16L << 30))).isEqualTo(all);
    Sizes small = all.within(new Limits(4_096, 1L << 30));
    assertThat(small.waiters()).containsExactly(1_000);
    assertThat(small.keys()).containsExactly(1_000_000);
    assertThat(small.leftOut()).contains("10,000 waiters").contains("10,000,000 keys");
    assertThat(all.leftOut()).isEmpty();
  }

  private static int threads(int clients) {
    return Math.min(4, clients);
  }

  private static Forecast forecast(List<Section> measured) {
    return new Forecast(measured, SIZES, ForecastTest::threads, CORES, 4_000, 0, what -> {});
  }

  private static Section table(List<Section> measured) {
    return forecast(measured).validation();
  }

  /** As if it had been measured, with CPU times that are told wrong by a factor. */
  private static List<Section> world(double serverTold, double clientTold) {
    Results locks = new Results();
    for (int n : SIZES.clients()) {
      Prediction outcome =
          Models.separate(TRUE_LOCKS, Population.together(n, threads(n), CORES), SPAN);
      locks.add(
          CrowdWorkload.label(n, "client"),
          sample(outcome, TRUE_LOCKS, n, serverTold, clientTold)
              .put(Metric.OP_P50, outcome.p50())
              .put(Metric.OP_P99, outcome.p99()));
    }
    Results handOvers = new Results();
    for (int n : SIZES.waiters()) {
      Prediction outcome =
          Models.handOver(TRUE_HAND_OVERS, Population.together(n + 1, threads(n + 1), CORES), SPAN);
      handOvers.add(
          CrowdWorkload.label(n, "waiter"),
          sample(outcome, TRUE_HAND_OVERS, n, 1, 1)
              .put(Metric.HAND_OVER_P50, outcome.p50())
              .put(Metric.HAND_OVER_P99, outcome.p99()));
    }
    return List.of(
        section(ScaleWorkloads.OWN, "Own locks, as clients grow", locks),
        section(ScaleWorkloads.WAITERS, "One hot lock, as waiters grow", handOvers),
        pairs(100, 120, 200));
  }

  private static Sample sample(
      Prediction outcome, Costs costs, int n, double serverTold, double clientTold) {
    boolean alone = n == 1;
    double server = costs.server() + (alone ? costs.serverWake() : 0);
    double client = costs.client() + (alone ? costs.clientWake() : 0);
    return new Sample()
        .put(Metric.OPS, outcome.rate())
        .put(Metric.SENT, costs.commands())
        .put(Metric.SERVER_CPU, server * costs.commands() * serverTold)
        .put(Metric.CLIENT_CPU, client * costs.commands() * clientTold);
  }

  private static Section pairs(double... serverCpu) {
    Results results = new Results();
    for (int i = 0; i < serverCpu.length; i++) {
      results.add(
          CrowdWorkload.label(SIZES.masters().get(i), "master"),
          new Sample().put(Metric.SERVER_CPU, serverCpu[i]).put(Metric.PUBLISHED, 1));
    }
    return section(ScaleWorkloads.PAIRS, "Hand-overs on a cluster, as masters grow", results);
  }

  private static Section section(String id, String title, Results results) {
    return new Section(id, title, "", "", List.of(Metric.OPS), false, results, List.of());
  }
}
