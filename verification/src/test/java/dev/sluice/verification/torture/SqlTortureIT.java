package dev.sluice.verification.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.servers.PostgresqlServer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.TestAbortedException;

/** Client processes, databases and faults, all of them real: see docs/torture.md. */
@Isolated // needs the machine for itself: processes must come to their turn
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SqlTortureIT {
  private static final long SEED = 20;
  private static final Duration SHORT = Duration.ofSeconds(6);
  private static final Duration AT_MOST = Duration.ofMinutes(2);

  @ParameterizedTest
  @ValueSource(strings = {"postgresql", "sqlite"})
  void everyPromiseHolds(String topology) throws Exception {
    TortureResult verdict = run(TortureSettings.of(topology, SEED, SHORT));
    assertThat(verdict.held()).as(verdict.text()).isTrue();
    assertThat(verdict.faults()).isNotEmpty();
    assertThat(verdict.counts()).hasEntrySatisfying("grants", n -> assertThat(n).isPositive());
  }

  @ParameterizedTest
  @CsvSource({"postgresql, RELEASE_WITHOUT_OWNER", "sqlite, TOKEN_OF_THE_PROCESS"})
  void aPlantedFaultIsFound(String topology, PlantedFault plant) throws Exception {
    TortureResult verdict = run(TortureSettings.of(topology, SEED, AT_MOST).planted(plant));
    assertThat(verdict.violations()).as(verdict.text()).isNotEmpty();
  }

  private static TortureResult run(TortureSettings settings) throws Exception {
    if (settings.topology().equals("postgresql") && !PostgresqlServer.isInstalled()) {
      throw new TestAbortedException(PostgresqlServer.ABSENT);
    }
    return Torture.run(settings, line -> {});
  }
}
