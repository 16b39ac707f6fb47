package dev.sluice.flashsale.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.testkit.PostgresqlServer;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A thousand kills: {@code ./sluice demo crash-test --kills 1000}. */
class CrashTestTest {
  private static final int KILLS = Integer.getInteger("sale.crash.kills", 100);
  private static final long SEED = Long.getLong("sale.crash.seed", 7);

  @BeforeAll
  static void needsADatabaseThatCanBeKilled() {
    assumeTrue(PostgresqlServer.isInstalled(), "PostgreSQL is not installed");
  }

  @Test
  void aHundredKillsBreakNoInvariant() throws Exception {
    Verdict verdict = CrashTest.run(Settings.of(KILLS, SEED), line -> {});

    System.out.print(verdict.text());
    assertThat(verdict.violations()).as("seed %d", SEED).isEmpty();
    assertThat(verdict.kills().values().stream().mapToInt(i -> i).sum()).isEqualTo(KILLS);
    assertThat(verdict.kills()).containsKeys("instance", "consumer", "Redis", "PostgreSQL");
    assertThat(verdict.orders()).isPositive();
    assertThat(verdict.cancelled()).isPositive();
    assertThat(verdict.unknown()).as("kills that a buyer noticed").isPositive();
  }

  @ParameterizedTest
  @MethodSource("plants")
  void aPlantedFaultIsFound(Class<? extends SellerMain> program, String invariant)
      throws Exception {
    Settings settings = new Settings(4, 4, SEED, program, true, Duration.ofSeconds(4));

    assertThat(CrashTest.run(settings, line -> {}).violations())
        .anyMatch(found -> found.startsWith(invariant + ":"));
  }

  static Stream<Arguments> plants() {
    return Stream.of(
        Arguments.of(PlantedSellers.AckBeforeCommit.class, "I4"),
        Arguments.of(PlantedSellers.ReturnTwice.class, "I6"),
        Arguments.of(PlantedSellers.PreloadOverwrites.class, "I11"),
        Arguments.of(PlantedSellers.TrimBeforeAck.class, "I4"));
  }
}
