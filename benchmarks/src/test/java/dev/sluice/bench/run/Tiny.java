package dev.sluice.bench.run;

import java.io.IOException;
import java.util.List;

/** Benches for tests, which judge no number. */
public final class Tiny {
  private Tiny() {}

  /** {@return a bench whose workers start fast rather than become fast} */
  public static Bench bench() throws IOException {
    return Bench.start(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
  }
}
