package dev.sluice.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.servers.Fuzz;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/** DurationText as people write them, and those that no clock can count. */
@Timeout(60)
class FuzzedDurationsTest {
  @Command(name = "any")
  private static final class Any {}

  private final CommandLine command = new CommandLine(new Any());

  @Test
  void aDurationIsReadShownAndCountedOrRefused() {
    Fuzz.each(
        4_000,
        fuzz -> {
          String text =
              fuzz.mutate(
                  fuzz.pick(
                      "10s", "250ms", "1d", "PT1H30M", "P3DT4.5S", "PT-" + fuzz.number() + "S"));
          Optional<Duration> read = DurationText.parse(text);
          read.ifPresent(time -> assertThat(DurationText.brief(time)).isNotEmpty());
          try {
            Duration option = DurationText.option(command, "--wait", text);
            assertThat(read).contains(option);
            assertThat(option.toMillis()).isNotNegative();
          } catch (ParameterException e) {
            assertThat(e).hasMessageStartingWith("--wait must ").hasMessageEndingWith(text);
          }
        });
  }

  @Test
  void secondsBeyondAllMillisecondsAreRefused() {
    assertThat(DurationText.parse("PT9223372036854775807S")).isEmpty();
    assertThat(DurationText.parse("PT9223372036854775S")).isPresent();
    assertThatThrownBy(() -> DurationText.option(command, "--ttl", "PT9223372036854775807S"))
        .isInstanceOf(ParameterException.class);
  }
}
