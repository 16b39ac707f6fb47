package dev.sluice.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import tools.jackson.jr.ob.JSON;

class ReportTest {

  @Test
  void medianIsTheMiddleOrTheMeanOfTheTwoInTheMiddle() {
    assertThat(Spread.of(List.of(9.0, 1.0, 5.0))).isEqualTo(new Spread(5, 1, 9, 3));
    assertThat(Spread.of(List.of(4.0, 1.0, 2.0, 9.0))).isEqualTo(new Spread(3, 1, 9, 4));
    assertThat(Spread.of(List.of(7.0))).isEqualTo(new Spread(7, 7, 7, 1));
  }

  @Test
  void whatWasNotMeasuredDoesNotCount() {
    assertThat(Spread.of(List.of(Double.NaN, 3.0, Double.NaN))).isEqualTo(new Spread(3, 3, 3, 1));
    assertThat(Spread.of(List.of()).isKnown()).isFalse();
    assertThat(Spread.of(List.of(Double.NaN)).isKnown()).isFalse();
  }

  @Test
  void ratiosCompareWithinARound() {
    Results results = new Results();
    // The machine was ten times slower in the second round, for both.
    for (double speed : new double[] {1, 0.1, 1}) {
      results.add("ours", new Sample().put(Metric.OPS, 3000 * speed));
      results.add("theirs", new Sample().put(Metric.OPS, 1000 * speed));
    }

    Spread ratio = results.ratio("ours", "theirs", Metric.OPS);

    assertThat(ratio.median()).isEqualTo(3);
    assertThat(ratio.most() - ratio.least()).isLessThan(1e-9);
    assertThat(results.ratio("ours", "nobody", Metric.OPS).isKnown()).isFalse();
  }

  @Test
  void aGoalIsMetOnItsBoundAndNotBeyond() {
    Spread two = new Spread(2, 1, 3, 3);
    Spread unknown = Spread.of(List.of());

    assertThat(Goal.atLeast("", two, 2, "").met()).isTrue();
    assertThat(Goal.atLeast("", two, 2.1, "").met()).isFalse();
    assertThat(Goal.atMost("", two, 2, "").met()).isTrue();
    assertThat(Goal.atMost("", two, 1.9, "").met()).isFalse();
    assertThat(Goal.atLeast("", unknown, 0, "").met()).isFalse();
    assertThat(Goal.atMost("", unknown, 9, "").met()).isFalse();
    assertThat(Section.goalTable(List.of(Goal.atMost("x", unknown, 9, ""))))
        .contains("not measured");
    assertThat(Section.summaryTable(List.of(Goal.atMost("x", unknown, 9, ""))))
        .contains("not measured");
    assertThat(Section.summaryTable(List.of())).isEmpty();
  }

  @Test
  void numbersHaveThreeFigures() {
    assertThat(ReadableNumbers.plain(1234567.8)).isEqualTo("1,234,568");
    assertThat(ReadableNumbers.plain(12.345)).isEqualTo("12.3");
    assertThat(ReadableNumbers.plain(1.2345)).isEqualTo("1.23");
    assertThat(ReadableNumbers.plain(0.01234)).isEqualTo("0.012");
    assertThat(ReadableNumbers.plain(2)).isEqualTo("2");
    assertThat(ReadableNumbers.plain(Double.NaN)).isEqualTo("-");
    assertThat(ReadableNumbers.plain(Double.POSITIVE_INFINITY)).isEqualTo("never");
    assertThat(ReadableNumbers.spread(new Spread(2, 1, 3, 3))).isEqualTo("2 (1 to 3)");
    assertThat(ReadableNumbers.brief(1_234_567)).isEqualTo("1.2 M");
    assertThat(ReadableNumbers.brief(12_345)).isEqualTo("12 k");
  }

  @Test
  void aTableRefusesARowOfAnotherWidth() {
    assertThatThrownBy(() -> new MarkdownTable("a", "b").row("1"))
        .hasMessage("row has 1 cells, head has 2");
  }

  @Test
  void writesTextJsonAndAWellFormedChart(@TempDir Path folder) throws Exception {
    report().write(folder, "locks");

    assertThat(Files.readString(folder.resolve("locks.md")))
        .contains("| ours <1> | 150 (100 to 200) | 2 ")
        .contains("| twice | at least 2 x | 2 x")
        .contains("- Machine: here & now");
    Map<String, Object> json = JSON.std.mapFrom(Files.readString(folder.resolve("locks.json")));
    assertThat(json).containsKeys("facts", "goals", "workloads");
    Document svg =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(
                new ByteArrayInputStream(
                    Files.readString(folder.resolve("locks.svg"))
                        .getBytes(StandardCharsets.UTF_8)));
    assertThat(svg.getDocumentElement().getNodeName()).isEqualTo("svg");
    assertThat(svg.getElementsByTagName("circle").getLength()).isEqualTo(2);
    assertThat(svg.getElementsByTagName("text").item(0).getTextContent()).isEqualTo("A < B");
  }

  @Test
  void withoutGoalsThereIsNoTableOfThem() {
    BenchReport report = new BenchReport(new Facts("none", Map.of("Machine", "here")), List.of());

    assertThat(report.markdown()).isEqualTo("- Machine: here\n");
    assertThat(report().markdown()).contains("\n### Goals\n");
  }

  @Test
  void publishesInPlaceOfTheLastResults(@TempDir Path folder) throws Exception {
    Path document = folder.resolve("benchmarks.md");
    Files.writeString(
        document,
        """
        # Benchmarks

        <!-- results: others -->
        their numbers
        <!-- end of results: others -->
        <!-- results: locks -->

        old numbers
        <!-- end of results: locks -->
        more
        """);

    report().publish(document, "locks", "locks.svg");

    assertThat(Files.readString(document))
        .contains("their numbers\n<!-- end of results: others -->\n<!-- results: locks -->\n\n![O")
        .contains("![Operations per second](locks.svg)")
        .endsWith("\n\n<!-- end of results: locks -->\nmore\n")
        .contains("\n### In short\n")
        .contains("| twice   | 2 x      |")
        .doesNotContain("at least 2 x")
        .doesNotContain("old numbers");
    assertThat(folder.resolve("locks.svg")).exists();
    Path other = Files.writeString(folder.resolve("other.md"), "nothing");
    assertThatThrownBy(() -> report().publish(other, "locks", "locks.svg"))
        .hasMessageEndingWith(
            "other.md has no lines <!-- results: locks --> and <!-- end of results: locks -->");
  }

  @Test
  void aChartWithoutRowsIsWellFormedToo() throws Exception {
    String svg = new DotChart("empty", "nothing").toSvg();

    assertThat(
            DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)))
                .getElementsByTagName("circle")
                .getLength())
        .isZero();
  }

  private static BenchReport report() {
    Results results = new Results();
    results.add("ours <1>", new Sample().put(Metric.OPS, 100).put(Metric.SENT, 2));
    results.add("ours <1>", new Sample().put(Metric.OPS, 200));
    results.add("floor", new Sample().put(Metric.OPS, 50).put(Metric.SENT, Double.NaN));
    results.add("floor", new Sample().put(Metric.OPS, 100));
    Goal goal = Goal.atLeast("twice", results.ratio("ours <1>", "floor", Metric.OPS), 2, " x");
    Section section =
        new Section(
            "one",
            "One & only",
            "What it means.",
            "floor",
            List.of(Metric.OPS, Metric.SENT),
            true,
            results,
            List.of(goal));
    return new BenchReport(
        new Facts("A < B", "full", Map.of("Machine", "here & now")), List.of(section));
  }
}
