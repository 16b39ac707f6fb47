package dev.sluice.verification.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Client processes, servers and faults, all of them real: see docs/torture.md. */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RedisTortureIT {
  private static final long SEED = 20;
  private static final int SECONDS = Integer.getInteger("sluice.torture.seconds", 10);
  private static final Duration AT_MOST = Duration.ofMinutes(2);

  @ParameterizedTest
  @ValueSource(strings = {"single", "sentinel", "cluster", "quorum"})
  void everyPromiseHolds(String topology) throws Exception {
    TortureResult verdict = run(TortureSettings.of(topology, SEED, Duration.ofSeconds(SECONDS)));
    assertThat(verdict.held()).as(verdict.text()).isTrue();
    assertThat(verdict.faults()).hasSizeGreaterThanOrEqualTo(SECONDS / 5);
    assertThat(verdict.counts()).hasEntrySatisfying("grants", n -> assertThat(n).isPositive());
  }

  @ParameterizedTest
  @CsvSource({
    "single, RELEASE_WITHOUT_OWNER",
    "quorum, TOKEN_WITHOUT_MAJORITY",
    "memory, RELEASE_WITHOUT_OWNER"
  })
  void aPlantedFaultIsFound(String topology, PlantedFault plant) throws Exception {
    assertFound(topology, plant);
  }

  @Tag("full")
  @ParameterizedTest
  @CsvSource({"single, COUNTER_WITHOUT_CLOCK", "cluster, RELEASE_WITHOUT_OWNER"})
  void aPlantedFaultThatTakesLongerIsFound(String topology, PlantedFault plant) throws Exception {
    assertFound(topology, plant);
  }

  private static void assertFound(String topology, PlantedFault plant) throws Exception {
    TortureResult verdict = run(TortureSettings.of(topology, SEED, AT_MOST).planted(plant));
    assertThat(verdict.violations()).as(verdict.text()).isNotEmpty();
  }

  private static TortureResult run(TortureSettings settings) throws Exception {
    return Torture.run(settings, line -> {});
  }
}
