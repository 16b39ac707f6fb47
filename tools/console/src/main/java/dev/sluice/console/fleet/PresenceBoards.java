package dev.sluice.console.fleet;

import dev.sluice.SluiceException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** The boards that consoles and processes use. Their notes are a stored format. */
public final class PresenceBoards {
  /** Figures of processes, each under its client's id. */
  public static final String REPORT = "report";

  /** Requests of consoles to processes, each console under its own id. */
  public static final String WATCH = "watch";

  /**
   * How the name of a note begins that asks for figures each 15 seconds only: no page is open, and
   * the console goes on with its history.
   */
  public static final String IDLE = "idle ";

  /** The version of both. */
  public static final int FORM = 1;

  private PresenceBoards() {}

  /** Waits for an answer of the store; throws its failure as it is. */
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
