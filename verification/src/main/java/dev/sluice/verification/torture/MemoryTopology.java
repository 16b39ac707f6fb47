package dev.sluice.verification.torture;

import java.util.List;

/**
 * The memory of one client process: its workers share a store, as several clients of it. What can
 * go wrong is between these clients and the store, see {@link MemoryClient}, and with the process.
 */
final class MemoryTopology implements FaultyServers {
  static final String WORD = "memory";
  static final String URI = "memory:";

  @Override
  public String uri() {
    return URI;
  }

  @Override
  public String describe() {
    return "the memory of one process";
  }

  @Override
  public List<Fault> faults() {
    return List.of();
  }

  @Override
  public void heal() {}

  /** The store ends with the process. */
  @Override
  public List<String> leftovers() {
    return List.of();
  }

  @Override
  public boolean isPlanted() {
    return true; // in the client, where it is planted
  }

  @Override
  public void close() {}
}
