package dev.sluice.bench.run;

import dev.sluice.bench.chapter.RunPlan;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Benches for tests, which judge no number. */
public final class Tiny {
  private Tiny() {}

  /**
   * One short round.
   *
   * @param window so long that a machine that is held up for a moment still counts something
   */
  public static RunPlan plan(Duration window) {
    return new RunPlan(
        1,
        Duration.ofMillis(200),
        Duration.ofMillis(20),
        window,
        Duration.ofSeconds(3),
        20,
        100,
        Duration.ofMillis(600),
        false);
  }

  /** {@return a bench whose workers start fast rather than become fast} */
  public static Bench bench() throws IOException {
    return Bench.start(
        List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dsluice.bench.deadline=30000"));
  }
}
