package dev.sluice.zookeeper.nodes;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.SluiceException;
import dev.sluice.text.Names;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/** Maps failures of the driver to exceptions of Sluice. */
public final class KeeperFailures {
  static final CompletableFuture<Boolean> NO = CompletableFuture.completedFuture(false);

  private KeeperFailures() {}

  public static Throwable unwrap(@Nullable Throwable failure) {
    Throwable inner = failure == null ? new IllegalStateException("no answer") : failure;
    while (inner instanceof CompletionException && inner.getCause() != null) {
      inner = inner.getCause();
    }
    return inner;
  }

  public static CompletionException wrapped(Throwable failure) {
    return failure instanceof CompletionException done ? done : new CompletionException(failure);
  }

  public static boolean isNoNode(Throwable failure) {
    return unwrap(failure) instanceof KeeperException.NoNodeException;
  }

  /** The servers may have executed the request. */
  public static boolean isUnknown(Throwable failure) {
    if (!(unwrap(failure) instanceof KeeperException refused)) {
      return false;
    }
    Code code = refused.code();
    return code == Code.CONNECTIONLOSS
        || code == Code.OPERATIONTIMEOUT
        || code == Code.REQUESTTIMEOUT;
  }

  /** The session lacks the right, so a retry is useless. */
  public static boolean isRefused(Throwable failure) {
    return unwrap(failure) instanceof KeeperException.NoAuthException;
  }

  /** Bounds a request by the timeout, and maps its failures. */
  public static <T> CompletableFuture<T> within(
      CompletableFuture<T> raw, Duration timeout, String store, String what) {
    CompletableFuture<T> bounded =
        raw.isDone() ? raw : raw.copy().orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS);
    return bounded.handle(
        (answer, failure) -> {
          if (failure == null) {
            return answer;
          }
          throw translated(failure, timeout, store, what);
        });
  }

  static RuntimeException translated(
      Throwable failure, Duration timeout, String store, String what) {
    Throwable cause = unwrap(failure);
    if (cause instanceof SluiceException ours) {
      return ours;
    }
    if (cause instanceof TimeoutException) {
      return new OutcomeUnknownException(
          store + " did not answer " + Names.quoted(what) + " within " + timeout.toMillis() + "ms",
          null);
    }
    if (cause instanceof KeeperException refused) {
      if (isUnknown(cause)) {
        return new OutcomeUnknownException(
            store + ": the connection was lost before " + Names.quoted(what) + " was answered",
            cause);
      }
      String why =
          switch (refused.code()) {
            case SESSIONEXPIRED -> "the session has ended";
            case NOAUTH -> "no rights at " + refused.getPath();
            case AUTHFAILED -> "the servers do not know this user";
            default -> refused.code().name().toLowerCase(java.util.Locale.ROOT);
          };
      return new BackendException(store + " refused " + Names.quoted(what) + ": " + why, cause);
    }
    if (cause instanceof RuntimeException other) {
      return other;
    }
    return new BackendException(store + " failed " + Names.quoted(what), cause);
  }
}
