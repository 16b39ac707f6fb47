package dev.sluice.jdbc.rows;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.jdbc.dialect.SqlDialect;
import dev.sluice.text.Names;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Maps failures of a driver to exceptions for a caller. Safe for use by many threads. */
final class CallFailures {
  private final String database;
  private final SqlDialect dialect;
  private final Function<SQLException, @Nullable String> hint;

  /**
   * @param database its name in messages
   * @param hint what helps against a failure, or null
   */
  CallFailures(String database, SqlDialect dialect, Function<SQLException, @Nullable String> hint) {
    this.database = database;
    this.dialect = dialect;
    this.hint = hint;
  }

  /** No connection could be had. */
  static final class NoConnection extends SQLException {
    private static final long serialVersionUID = 1L;

    NoConnection(Exception cause) {
      super(cause.getMessage(), cause);
    }
  }

  /**
   * Whether a call may run again.
   *
   * @param tries how often it did
   * @param writing whether it has begun to write
   */
  boolean isWorthATry(SQLException failure, int tries, boolean writing) {
    if (failure instanceof NoConnection) {
      return false;
    }
    boolean broken = dialect.isBroken(failure);
    if (broken && writing) {
      return false;
    }
    return broken || dialect.isReadOnly(failure)
        ? tries < 2 // another connection may be better
        : dialect.mayTryAgain(failure)
            || failure instanceof SqlSession.Again
            || SqlDialect.isDuplicate(failure);
  }

  /** The exception for a caller without an answer in time. */
  RuntimeException noAnswer(String what, Duration timeout, boolean nothingDone) {
    String silence =
        "%s did not answer %s within %dms"
            .formatted(database, Names.quoted(what), timeout.toMillis());
    return nothingDone
        ? new BackendException(silence + "; nothing was done", null)
        : new OutcomeUnknownException(silence + "; it may have been executed", null);
  }

  /** The exception for the caller. */
  RuntimeException of(String what, SQLException failure, boolean writing) {
    String call = Names.quoted(what);
    if (failure instanceof NoConnection) {
      Throwable cause = failure.getCause() == null ? failure : failure.getCause();
      return new BackendException(
          database + " gave no connection for " + call + ": " + cause.getMessage(), cause);
    }
    if (dialect.isBroken(failure) && writing) {
      return new OutcomeUnknownException(
          database + " lost the connection during " + call + ": " + failure.getMessage(), failure);
    }
    String help = hint.apply(failure);
    if (help != null) {
      return new BackendException(help, failure);
    }
    if (dialect.mayTryAgain(failure)) {
      return new BackendException(
          database + " rolled back " + call + " until the timeout: " + failure.getMessage(),
          failure);
    }
    return new BackendException(
        database + " refused " + call + ": " + failure.getMessage(), failure);
  }
}
