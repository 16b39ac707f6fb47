package dev.sluice.cli.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.cli.Ran;
import dev.sluice.cli.SluiceProcess;
import dev.sluice.cli.terminal.Child;
import dev.sluice.servers.RedisBinary;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The demo, played by real processes. */
class FencingDemoTest {
  private static final Duration SOON = Duration.ofMinutes(3);

  private static SluiceProcess demo(String ttl) {
    return SluiceProcess.start(
        "memory:",
        "fencing-demo",
        "--ttl",
        ttl,
        "--redis-server",
        RedisBinary.any().path().toString());
  }

  private static long number(String text, String pattern) {
    Matcher found = Pattern.compile(pattern).matcher(text);
    assertThat(found.find()).as("%s in:%n%s", pattern, text).isTrue();
    return Long.parseLong(found.group(1));
  }

  @Test
  void theBareWriteLandsAndTheGuardedOneIsRefusedWithBothTokens() {
    try (SluiceProcess sluice = demo("1s")) {
      assertThat(sluice.exitCode()).as(() -> sluice.out() + sluice.err()).isZero();
      String[] halves = sluice.out().split("With a guard:");
      assertThat(halves).hasSize(2);
      assertThat(halves[0])
          .containsSubsequence(
              "A  reads 100",
              "A  is stopped",
              "B  holds the lock",
              "B  writes 110",
              "A  resumes",
              "A  writes 105",
              "The balance is 105: what B added is lost");
      assertThat(halves[1]).containsSubsequence("B  writes 110", "A  is refused", "is 110");
      long a = number(halves[1], "A  holds the lock, token (\\d+)");
      long b = number(halves[1], "B  holds the lock, token (\\d+)");
      assertThat(b).isGreaterThan(a);
      assertThat(halves[1]).contains("its token is " + a + ", and the resource has seen " + b);
    }
  }

  /** However it ends, nobody stays behind: not even a holder that is stopped. */
  @ParameterizedTest
  @CsvSource({"INT", "TERM", "KILL"})
  void itLeavesNoProcessBehind(String signal) {
    try (SluiceProcess sluice = demo("30s")) { // of which nobody waits for the end
      await().atMost(SOON).until(() -> sluice.out().contains("is stopped") || !sluice.isAlive());
      List<ProcessHandle> family = sluice.descendants();
      assertThat(family).as(sluice.out() + sluice.err()).hasSizeGreaterThanOrEqualTo(4);

      sluice.signal(signal);

      assertThat(sluice.exitCode()).isNotZero();
      await().atMost(SOON).until(() -> family.stream().noneMatch(Child::runs));
    }
  }

  @Test
  void withoutRedisItSaysSo() {
    Ran ran = Ran.sluice("fencing-demo", "--redis-server", "/nowhere/redis-server");
    assertThat(ran.code()).isEqualTo(69);
    assertThat(ran.err()).isEqualTo("sluice: cannot run '/nowhere/redis-server'\n");
    assertThat(ran.out()).isEmpty();
    assertThat(Ran.sluice("fencing-demo", "--ttl", "99ms").code()).isEqualTo(64);
  }
}
