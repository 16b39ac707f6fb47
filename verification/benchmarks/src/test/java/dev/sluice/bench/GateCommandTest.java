package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.report.Facts;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.report.Section;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GateCommandTest {
  private @TempDir Path folder;
  private Path accepted;

  @BeforeEach
  void nothingIsAccepted() {
    accepted = folder.resolve("accepted.json");
  }

  @Test
  void acceptsARunAndFailsOnAWorseOne() throws Exception {
    measured("full", 3000);
    assertThat(bench("gate", "--accepted", accepted.toString()).code()).isEqualTo(1);

    assertThat(bench("accept", "--accepted", accepted.toString()))
        .isEqualTo(new Said(0, "accepted: locks (full), 2 ratios\nwritten: " + accepted + "\n"));
    assertThat(bench("gate", "--accepted", accepted.toString()).code()).isZero();

    measured("full", 1500);
    Said worse = bench("gate", "--accepted", accepted.toString());
    assertThat(worse.code()).isEqualTo(1);
    assertThat(worse.text()).contains("x redisson").contains("WORSE: 1, VANISHED: 0");
    assertThat(bench("gate", "--margin", "50", "--accepted", accepted.toString()).code()).isZero();
  }

  @Test
  void aRunInPartIsNeitherAcceptedNorCompared() throws Exception {
    measured("full", 3000);
    bench("accept", "--accepted", accepted.toString());
    String before = Files.readString(accepted);
    measured(Facts.PART, 3000);

    assertThat(bench("accept", "--accepted", accepted.toString()).code()).isEqualTo(1);
    assertThat(Files.readString(accepted)).isEqualTo(before);
    Said gate = bench("gate", "--accepted", accepted.toString());
    assertThat(gate.code()).isEqualTo(1);
    assertThat(gate.text()).contains("locks: was measured in part");
  }

  @Test
  void anUnknownChapterIsRefused() {
    assertThat(bench("gate", "nope").code()).isEqualTo(1);
    assertThat(bench("accept", "nope").code()).isEqualTo(1);
  }

  private record Said(int code, String text) {}

  private Said bench(String... words) {
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(List.of("--from", folder.toString()));
    PrintStream stdout = System.out;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      int code = BenchMain.commandLine().execute(all.toArray(new String[0]));
      return new Said(code, said.toString(StandardCharsets.UTF_8));
    } finally {
      System.setOut(stdout);
    }
  }

  private void measured(String extent, double ours) throws IOException {
    Results results = new Results();
    for (int i = 0; i < 3; i++) {
      results.add("sluice", new Sample().put(Metric.OPS, ours + i).put(Metric.SENT, 2));
      results.add("redisson", new Sample().put(Metric.OPS, 1000).put(Metric.SENT, 9));
    }
    Section section =
        new Section(
            "hot", "Hot", "", "", List.of(Metric.OPS, Metric.SENT), false, results, List.of());
    new BenchReport(new Facts("Locks", extent, Map.of()), List.of(section)).write(folder, "locks");
  }
}
