package dev.sluice.bench.scale.sim;

/**
 * The cost of one command; microseconds.
 *
 * @param commands how many commands an operation has
 * @param server CPU time of a server that is busy
 * @param serverWake more of it where the server was asleep
 * @param client CPU time of a client that is busy
 * @param clientWake more of it where the client was asleep
 * @param network from one process to the other, one way
 */
public record Costs(
    double commands,
    double server,
    double serverWake,
    double client,
    double clientWake,
    double network) {

  /**
   * Reads the costs from two measured points.
   *
   * @param alone hardly any load: each command finds idle threads
   * @param busy so much load that no thread sleeps
   * @param hops how many times a latency goes over the network
   * @param visits how many commands follow one another in a latency
   */
  public static Costs between(Point alone, Point busy, double hops, double visits) {
    double server = busy.serverCpu() / busy.sent();
    double client = busy.clientCpu() / busy.sent();
    double serverWake = Math.max(0, alone.serverCpu() / alone.sent() - server);
    double clientWake = Math.max(0, alone.clientCpu() / alone.sent() - client);
    double work = visits * (server + serverWake + client + clientWake);
    double network = Math.max(0, (alone.p50() - work) / hops);
    return new Costs(
        Math.max(1, Math.rint(alone.sent())), server, serverWake, client, clientWake, network);
  }

  /** {@return the same where each process has its own machine, so far from each other} */
  public Costs over(double networkMicros) {
    return new Costs(commands, server, serverWake, client, clientWake, networkMicros);
  }

  /** {@return the same with another time of the server for a command that it finds waiting} */
  public Costs withServer(double micros) {
    return new Costs(commands, micros, serverWake, client, clientWake, network);
  }
}
