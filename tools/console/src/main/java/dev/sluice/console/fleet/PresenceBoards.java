package dev.sluice.console.fleet;

import dev.sluice.SluiceException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** The boards of consoles and processes. Their notes are a stored format. */
public final class PresenceBoards {
  /** Counts of processes, each under its client's id. */
  public static final String REPORT = "report";

  /** Requests from consoles to processes, each under the console's id. */
  public static final String WATCH = "watch";

  /**
   * The prefix of a note's name that requests figures every 15 seconds only: no page is open, and
   * the console continues its history.
   */
  public static final String IDLE = "idle ";

  /** The version of both formats. */
  public static final int FORM = 1;

  private PresenceBoards() {}

  /** Waits for the store's reply, and throws its failure unwrapped. */
  public static <T> T answer(CompletionStage<T> asked) {
    try {
      return asked.toCompletableFuture().join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof SluiceException failure) {
        throw failure;
      }
      throw e;
    }
  }
}
