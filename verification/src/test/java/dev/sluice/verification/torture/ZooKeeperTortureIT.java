package dev.sluice.verification.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Client processes, an ensemble and faults, all of them real: see docs/torture.md. */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ZooKeeperTortureIT {
  private static final long SEED = 20;
  private static final Duration SHORT = Duration.ofSeconds(6);
  private static final Duration AT_MOST = Duration.ofMinutes(2);

  @Test
  void everyPromiseHolds() throws Exception {
    TortureResult verdict = run(TortureSettings.of("zookeeper", SEED, SHORT));
    assertThat(verdict.held()).as(verdict.text()).isTrue();
    assertThat(verdict.faults()).isNotEmpty();
    assertThat(verdict.counts()).hasEntrySatisfying("grants", n -> assertThat(n).isPositive());
  }

  @ParameterizedTest
  @EnumSource(names = {"RELEASE_WITHOUT_OWNER", "TOKEN_OF_THE_PROCESS"})
  void aPlantedFaultIsFound(PlantedFault plant) throws Exception {
    TortureResult verdict = run(TortureSettings.of("zookeeper", SEED, AT_MOST).planted(plant));
    assertThat(verdict.violations()).as(verdict.text()).isNotEmpty();
  }

  private static TortureResult run(TortureSettings settings) throws Exception {
    return Torture.run(settings, line -> {});
  }
}
