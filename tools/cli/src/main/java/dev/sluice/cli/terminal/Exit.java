package dev.sluice.cli.terminal;

/** Exit codes: those of sysexits.h where one fits, those of a shell for a command it started. */
public final class Exit {
  public static final int OK = 0;

  /** The doctor's own: warnings, and nothing worse. */
  public static final int WARNINGS = 1;

  /** The doctor's own: errors. */
  public static final int ERRORS = 2;

  /** EX_USAGE: the command line does not make sense. */
  public static final int USAGE = 64;

  /**
   * EX_DATAERR: what the store holds is not ours, or has no token left that is high enough; nothing
   * in a log can be read.
   */
  public static final int FOREIGN_DATA = 65;

  /** EX_NOINPUT: the log or the filter is not there, or the input cannot be read. */
  public static final int NO_INPUT = 66;

  /** EX_UNAVAILABLE: the store cannot be reached, or does not answer. */
  public static final int UNREACHABLE = 69;

  /** EX_SOFTWARE: a defect of ours. */
  public static final int DEFECT = 70;

  /** EX_CANTCREAT: a file cannot be written; a filter is there with another size. */
  public static final int CANNOT_CREATE = 73;

  /** EX_TEMPFAIL: the lock was not acquired in time, or a limit refused; try again later. */
  public static final int NOT_ACQUIRED = 75;

  /** EX_PROTOCOL: the lock was lost while the command ran. */
  public static final int LOST = 76;

  /** As shells say: the command was found and could not be started. */
  static final int NOT_EXECUTABLE = 126;

  /** As shells say: there is no such command. */
  static final int NOT_FOUND = 127;

  /** As shells say: ended by signal number n is 128 + n. */
  static final int SIGNAL = 128;

  private Exit() {}
}
