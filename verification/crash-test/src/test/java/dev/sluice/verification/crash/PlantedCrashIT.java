package dev.sluice.verification.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Faults that the crash test must find; a separate class, so that both run side by side. */
class PlantedCrashIT {
  @BeforeAll
  static void needsADatabaseThatCanBeKilled() {
    CrashTestIT.needsADatabaseThatCanBeKilled();
  }

  @ParameterizedTest
  @MethodSource("plants")
  void aPlantedFaultIsFound(Class<? extends SellerMain> program, String invariant)
      throws Exception {
    assertFound(program, invariant);
  }

  @Tag("full")
  @ParameterizedTest
  @MethodSource("otherPlants")
  void anotherPlantedFaultIsFound(Class<? extends SellerMain> program, String invariant)
      throws Exception {
    assertFound(program, invariant);
  }

  private static void assertFound(Class<? extends SellerMain> program, String invariant)
      throws Exception {
    CrashSettings settings =
        new CrashSettings(4, 4, CrashTestIT.SEED, program, true, Duration.ofSeconds(4));

    assertThat(CrashTest.run(settings, line -> {}).violations())
        .anyMatch(found -> found.startsWith(invariant + ":"));
  }

  static Stream<Arguments> plants() {
    return Stream.of(
        Arguments.of(PlantedSellers.AckBeforeCommit.class, "I4"),
        Arguments.of(PlantedSellers.PreloadOverwrites.class, "I11"));
  }

  static Stream<Arguments> otherPlants() {
    return Stream.of(
        Arguments.of(PlantedSellers.ReturnTwice.class, "I6"),
        Arguments.of(PlantedSellers.TrimBeforeAck.class, "I4"));
  }
}
