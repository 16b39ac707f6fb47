package dev.sluice.verification.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.servers.PostgresqlServer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A thousand kills: {@code ./sluice demo crash-test --kills 1000}. */
class CrashTestIT {
  private static final int KILLS = Integer.getInteger("sale.crash.kills", 40);
  static final long SEED = Long.getLong("sale.crash.seed", 7);

  @BeforeAll
  static void needsADatabaseThatCanBeKilled() {
    assumeTrue(PostgresqlServer.isInstalled(), PostgresqlServer.ABSENT);
  }

  @Test
  void killsBreakNoInvariant() throws Exception {
    CrashResult verdict = CrashTest.run(CrashSettings.of(KILLS, SEED), line -> {});

    System.out.print(verdict.text());
    assertThat(verdict.violations()).as("seed %d", SEED).isEmpty();
    assertThat(verdict.kills().values().stream().mapToInt(i -> i).sum()).isEqualTo(KILLS);
    assertThat(verdict.kills()).containsKeys("instance", "consumer", "Redis", "PostgreSQL");
    assertThat(verdict.orders()).isPositive();
    assertThat(verdict.cancelled()).isPositive();
    assertThat(verdict.unknown()).as("kills that a buyer noticed").isPositive();
  }
}
