package dev.sluice.flashsale.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.testkit.PostgresqlServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

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

  @Test
  void plantedFaultsAreFound() throws Exception {
    CompletableFuture<List<String>> ack = run(PlantedSellers.AckBeforeCommit.class);
    CompletableFuture<List<String>> twice = run(PlantedSellers.ReturnTwice.class);
    CompletableFuture<List<String>> preload = run(PlantedSellers.PreloadOverwrites.class);
    CompletableFuture<List<String>> trim = run(PlantedSellers.TrimBeforeAck.class);

    assertThat(ack.get()).anyMatch(found -> found.startsWith("I4"));
    assertThat(twice.get()).anyMatch(found -> found.startsWith("I6") || found.startsWith("I1:"));
    assertThat(preload.get()).anyMatch(found -> found.startsWith("I11"));
    assertThat(trim.get()).anyMatch(found -> found.startsWith("I4"));
  }

  private static CompletableFuture<List<String>> run(Class<? extends SellerMain> program) {
    Settings settings = new Settings(6, 6, SEED, program, true, Duration.ofSeconds(8));
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return CrashTest.run(settings, line -> {}).violations();
          } catch (Exception e) {
            throw new IllegalStateException(program.getSimpleName(), e);
          }
        },
        task -> new Thread(task, program.getSimpleName()).start());
  }
}
