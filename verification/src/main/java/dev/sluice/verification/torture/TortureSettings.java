package dev.sluice.verification.torture;

import java.time.Duration;
import java.util.List;

/**
 * One run.
 *
 * @param topology which servers
 * @param system which library
 * @param plant a fault of our own making
 * @param seed for all that is random here; what real processes make of it differs from run to run
 * @param time how long faults strike; the end of a run takes a few seconds more
 * @param processes client processes
 * @param workers callers in each
 */
public record TortureSettings(
    String topology,
    String system,
    PlantedFault plant,
    long seed,
    Duration time,
    int processes,
    int workers) {

  /** The locks that all fight for. */
  static final List<String> NAMES = List.of("a", "b", "c");

  /**
   * The usual run of our own library.
   *
   * @param topology which servers
   * @param seed for all that is random
   * @param time how long faults strike
   * @return four processes with three callers each
   */
  public static TortureSettings of(String topology, long seed, Duration time) {
    return new TortureSettings(topology, SluiceClient.WORD, PlantedFault.NONE, seed, time, 4, 3);
  }

  /**
   * The same with a fault of our own making.
   *
   * @param plant which
   * @return changed settings
   */
  public TortureSettings planted(PlantedFault plant) {
    return new TortureSettings(topology, system, plant, seed, time, processes, workers);
  }

  /** {@return the same where one process has all that there is} */
  TortureSettings inOneProcess() {
    return new TortureSettings(topology, system, plant, seed, time, 1, processes * workers);
  }

  boolean isOurs() {
    return system.equals(SluiceClient.WORD);
  }
}
