package dev.sluice.testkit.torture;

import java.util.List;

/** Servers, and what can go wrong with them. Faults run on one thread, one after the other. */
interface Topology extends AutoCloseable {

  /**
   * {@return where clients connect to; for systems that want several servers, one URI for each,
   * between blanks}
   */
  String uri();

  /** {@return in a word or two} */
  String describe();

  /** {@return what can go wrong} */
  List<Fault> faults();

  /** Ends every fault that is still on. */
  void heal();

  /**
   * Looks at what the servers have left when every client is closed.
   *
   * @return complaints, empty when there are none
   */
  List<String> leftovers();

  /** {@return whether a planted fault has been reached by what clients sent} */
  boolean isPlanted();

  @Override
  void close();
}
