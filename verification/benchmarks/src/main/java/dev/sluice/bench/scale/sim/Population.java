package dev.sluice.bench.scale.sim;

/**
 * The participants of a simulation.
 *
 * @param clients processes, each with its own client
 * @param threads network threads that the clients share; as many as clients where each has its own
 * @param cores of the one machine that all share; {@link Integer#MAX_VALUE} if each has its own
 *     machine
 * @param masters servers over which the keys are spread
 * @param thinkMicros mean time between an answer and the next operation of a caller; 0 for none
 */
public record Population(int clients, int threads, int cores, int masters, double thinkMicros) {

  /** {@return processes that share a machine with the one server, and always want something} */
  public static Population together(int clients, int threads, int cores) {
    return new Population(clients, threads, cores, 1, 0);
  }

  /** {@return processes, each with its own machine} */
  public static Population apart(int clients, int masters, double thinkMicros) {
    return new Population(clients, clients, Integer.MAX_VALUE, masters, thinkMicros);
  }
}
