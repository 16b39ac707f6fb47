package dev.sluice.cli.terminal;

/** Exit codes: those of sysexits.h where one fits, those of a shell for a child command. */
public final class Exit {
  public static final int OK = 0;

  /** The doctor found warnings, and nothing worse. */
  public static final int WARNINGS = 1;

  /** The doctor found errors. */
  public static final int ERRORS = 2;

  /** EX_USAGE: the command line is invalid. */
  public static final int USAGE = 64;

  /**
   * EX_DATAERR: the store holds foreign data or has no token left that is high enough; no line of a
   * log could be parsed.
   */
  public static final int FOREIGN_DATA = 65;

  /** EX_NOINPUT: the log or the filter does not exist, or the input cannot be read. */
  public static final int NO_INPUT = 66;

  /** EX_UNAVAILABLE: the store cannot be reached, or does not answer. */
  public static final int UNREACHABLE = 69;

  /** EX_SOFTWARE: a defect of Sluice. */
  public static final int DEFECT = 70;

  /** EX_CANTCREAT: a file cannot be written; a filter exists with another size. */
  public static final int CANNOT_CREATE = 73;

  /** EX_TEMPFAIL: the lock was not acquired in time, or a limit refused; try again later. */
  public static final int NOT_ACQUIRED = 75;

  /** EX_PROTOCOL: the lock was lost while the command ran. */
  public static final int LOST = 76;

  /** The command was found and could not be started, as in shells. */
  static final int NOT_EXECUTABLE = 126;

  /** The command does not exist, as in shells. */
  static final int NOT_FOUND = 127;

  /** The command ended by signal n, as in shells: 128 + n. */
  static final int SIGNAL = 128;

  private Exit() {}
}
