package dev.sluice.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.history.Event;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** L1 to L8 on random schedules under faults. */
class SimulationTest {
  private static final int SCHEDULES = 10_000;
  private static final Logger QUIET = Logger.getLogger("dev.sluice.lock");

  static {
    QUIET.setLevel(Level.OFF);
  }

  @Test
  void everyPromiseHoldsOnTenThousandSchedules() {
    int acquired = 0;
    for (int seed = 0; seed < SCHEDULES; seed++) {
      Simulation.Result result = Simulation.run(seed);
      assertThat(result.violation()).as(() -> result.report(60)).isEmpty();
      for (Event event : result.history().events()) {
        if (event instanceof Event.Acquired) {
          acquired++;
        }
      }
    }
    assertThat(acquired).as("schedules that do something").isGreaterThan(10 * SCHEDULES);
  }

  @Test
  void everyScheduleThatEverFailedHoldsNow() throws IOException {
    for (long seed : regressions()) {
      Simulation.Result result = Simulation.run(seed);
      assertThat(result.violation()).as(() -> result.report(60)).isEmpty();
    }
  }

  @Test
  void sameSeedGivesTheSameHistory() {
    for (long seed = 0; seed < 200; seed++) {
      assertThat(Simulation.run(seed).history().events())
          .as("seed %s", seed)
          .isEqualTo(Simulation.run(seed).history().events());
    }
  }

  private static List<Long> regressions() throws IOException {
    List<Long> seeds = new ArrayList<>();
    try (InputStream file = SimulationTest.class.getResourceAsStream("regressions.txt");
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(Objects.requireNonNull(file), StandardCharsets.UTF_8))) {
      String line;
      while ((line = lines.readLine()) != null) {
        String seed = line.replaceFirst("#.*", "").strip();
        if (!seed.isEmpty()) {
          seeds.add(Long.parseLong(seed));
        }
      }
    }
    return seeds;
  }
}
