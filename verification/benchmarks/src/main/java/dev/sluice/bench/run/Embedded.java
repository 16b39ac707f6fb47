package dev.sluice.bench.run;

import java.util.Map;

/** A store without a server: it lives in the workers, or in a file. */
record Embedded(String uri, String about) implements Store {
  @Override
  public Counters counters() {
    return new Counters(Map.of(), Map.of(), 0);
  }

  @Override
  public void close() {
    // its file is in the folder of the bench
  }
}
