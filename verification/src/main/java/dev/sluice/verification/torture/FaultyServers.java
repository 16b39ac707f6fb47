package dev.sluice.verification.torture;

import dev.sluice.servers.ClockShim;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Servers, and what can go wrong with them. Faults run on one thread, one after the other. */
interface FaultyServers extends AutoCloseable {

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

  /**
   * {@return whether a planted fault has been reached by what clients sent; it has where there are
   * no scripts, since it is planted in the clients then}
   */
  default boolean isPlanted() {
    return true;
  }

  /**
   * {@return the one clock that all clients have because the store decides in their processes; null
   * if each client has its own}
   */
  default @Nullable ClockShim machineClock() {
    return null;
  }

  /**
   * {@return how much longer than its lease a lock may be taken, and a place in the queue, when the
   * client is dead}
   */
  default Duration afterlife() {
    return Duration.ZERO;
  }

  @Override
  void close();
}
