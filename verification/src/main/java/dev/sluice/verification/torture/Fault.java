package dev.sluice.verification.torture;

import java.util.random.RandomGenerator;

/**
 * Something that goes wrong for a while.
 *
 * @param name for the picture and the tally
 * @param weight how often it strikes, against the others
 * @param strike goes wrong, and returns when it is over; does nothing where it would break an
 *     assumption
 */
record Fault(String name, int weight, Strike strike) {

  /** The effect of a fault. */
  @FunctionalInterface
  interface Strike {
    /**
     * Goes wrong.
     *
     * @param random for sizes
     * @param notes receives what the checker must know
     * @return what happened in a few words, or an empty text if nothing did
     * @throws InterruptedException when the run ends
     */
    String run(RandomGenerator random, Notes notes) throws InterruptedException;
  }

  /** Notes of faults for the checker. */
  interface Notes {
    /** An entry may end early from here on: the store forgets, or has just forgotten. */
    void amnesia();

    /** The store has lost all that it had so many nanoseconds ago. */
    void emptied(long nanos);

    /** The store's clock is stepped. */
    void stepped(long nanos);
  }
}
