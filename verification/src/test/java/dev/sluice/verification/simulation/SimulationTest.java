package dev.sluice.verification.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.internal.lock.LeaseRules;
import dev.sluice.verification.history.Event;
import dev.sluice.verification.torture.FaultyRules;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
    for (Regression regression : regressions()) {
      Simulation.Result result = Simulation.run(regression.seed);
      assertThat(result.violation()).as(() -> result.report(60)).isEmpty();
      assertThat(stillContains(regression, result.history().events()))
          .as("the schedule of %s is another now; look for a new seed", regression)
          .isTrue();
    }
  }

  private static boolean stillContains(Regression regression, List<Event> events) {
    return switch (regression.content) {
      case "long-rest" -> failsWithTheMarginOfTheTtlAlone(regression.seed);
      case "late-renewal" -> hasARenewalAnsweredDuringTheRelease(events);
      case "own-timeout" ->
          events.stream()
              .anyMatch(
                  event ->
                      event instanceof Event.Ended ended
                          && ended.detail().contains("own time-out"));
      default -> throw new IllegalArgumentException("unknown content: " + regression);
    };
  }

  private static boolean failsWithTheMarginOfTheTtlAlone(long seed) {
    Variant uncorrected =
        new Variant() {
          @Override
          public LeaseRules rules() {
            return FaultyRules.marginOfTheTtlAlone();
          }
        };
    return Simulation.run(seed, uncorrected)
        .violation()
        .filter(broken -> broken.rule().equals("L4"))
        .isPresent();
  }

  /** A renewal of the client is answered after it called a release and before that one's answer. */
  private static boolean hasARenewalAnsweredDuringTheRelease(List<Event> events) {
    Map<Integer, Event.Acquired> turns = new HashMap<>();
    Map<Integer, Event.Acquired> releasing = new HashMap<>();
    for (Event event : events) {
      if (event instanceof Event.Acquired acquired) {
        turns.put(acquired.op(), acquired);
      } else if (event instanceof Event.ReleaseCalled called) {
        releasing.put(called.op(), turns.get(called.op()));
      } else if (event instanceof Event.Released released) {
        releasing.remove(released.op());
      } else if (event instanceof Event.Answered answered
          && answered.verb() == Event.Verb.RENEW
          && releasing.values().stream()
              .anyMatch(
                  turn ->
                      turn.client().equals(answered.client())
                          && turn.name().equals(answered.name()))) {
        return true;
      }
    }
    return false;
  }

  @Test
  void sameSeedGivesTheSameHistory() {
    for (long seed = 0; seed < 200; seed++) {
      assertThat(Simulation.run(seed).history().events())
          .as("seed %s", seed)
          .isEqualTo(Simulation.run(seed).history().events());
    }
  }

  /** A seed, and what its schedule is kept for. */
  private record Regression(long seed, String content) {}

  private static List<Regression> regressions() throws IOException {
    List<Regression> seeds = new ArrayList<>();
    try (InputStream file = SimulationTest.class.getResourceAsStream("regressions.txt");
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(Objects.requireNonNull(file), StandardCharsets.UTF_8))) {
      String line;
      while ((line = lines.readLine()) != null) {
        String entry = line.replaceFirst("#.*", "").strip();
        if (!entry.isEmpty()) {
          String[] parts = entry.split("\\s+");
          seeds.add(new Regression(Long.parseLong(parts[0]), parts[1]));
        }
      }
    }
    return seeds;
  }
}
