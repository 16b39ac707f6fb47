package dev.sluice.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.report.Facts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A run of seconds over a real server with faults; keys of a minute fill up in it, as they must.
 */
class SoakIT {

  @Test
  void findsLeaksThatWerePlanted(@TempDir Path folder) throws Exception {
    List<String> lines = new ArrayList<>();
    Soak soak =
        new Soak(
            Duration.ofSeconds(90), null, 7, EnumSet.of(PlantedLeak.THREADS, PlantedLeak.KEYS));

    SoakReport report =
        soak.run(
            line -> {
              lines.add(line); // ten ticks of the leaks apart, however slow the machine is
              if (lines.size() == 6) {
                soak.stop();
              }
            });
    report.write(folder, new Facts("Soak", Map.of("Planted", "yes")));

    assertThat(report.isWithinBounds()).isFalse();
    assertThat(report.verdict()).startsWith("GROWS: ");
    assertThat(report.grown()).contains("threads", "server keys, planted", "server keys, all");
    assertThat(report.grown()).doesNotContain("subscriptions at the server");
    assertThat(lines).isNotEmpty();
    assertThat(folder.resolve("soak.md")).content().contains("GROWS: ", "| locks ", "| fault ");
    DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(Files.newInputStream(folder.resolve("soak.svg")));
  }

  @Test
  void endsEarlyWithWhatItHas() throws Exception {
    Soak soak = new Soak(Duration.ofMinutes(5), null, 7, EnumSet.noneOf(PlantedLeak.class));

    SoakReport report = soak.run(line -> soak.stop());

    assertThat(report.isWithinBounds()).isFalse();
    assertThat(report.verdict()).matches("(TROUBLE: |too short to tell: ).*");
  }
}
