package dev.sluice.console;

/** The boards that consoles and processes use. Their notes are a stored format. */
final class Boards {
  /** Figures of processes, each under its client's id. */
  static final String REPORT = "report";

  /** What consoles ask of processes, each console under an id of its own. */
  static final String WATCH = "watch";

  /**
   * How the name of a note begins that asks for figures each 15 seconds only: no page is open, and
   * the console goes on with its history.
   */
  static final String IDLE = "idle ";

  /** The version of both. */
  static final int FORM = 1;

  private Boards() {}
}
