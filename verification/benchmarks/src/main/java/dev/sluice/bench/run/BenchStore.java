package dev.sluice.bench.run;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;

/** Something that a bench has started for itself, and that workers connect to. */
interface BenchStore extends AutoCloseable {
  /** {@return where workers connect} */
  String uri();

  /** {@return what it has counted so far; nothing where there is no counter} */
  default ServerCounters counters() {
    return new ServerCounters(Map.of(), Map.of(), 0);
  }

  /**
   * Watches for a while which share of what it executes is sent by clients.
   *
   * @return not a number where all of it is
   */
  default double shareSent(Duration time) throws InterruptedException, IOException {
    return Double.NaN;
  }

  /** {@return program and version, and the settings that matter} */
  String about();

  @Override
  default void close() {}

  /** A store without a server: it lives in the workers, or in a file of the bench's folder. */
  record Embedded(String uri, String about) implements BenchStore {}
}
