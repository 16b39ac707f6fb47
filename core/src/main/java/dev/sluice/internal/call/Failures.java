package dev.sluice.internal.call;

import dev.sluice.BackendException;
import dev.sluice.ForeignDataException;
import dev.sluice.MissingDataException;
import dev.sluice.NoQuorumException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.SluiceException;
import dev.sluice.lock.NotReplicatedException;
import dev.sluice.lock.WrongCapacityException;
import dev.sluice.text.Names;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Maps failures of a backend to exceptions for a caller: unwrapped, and with the stack trace of the
 * caller's thread.
 */
public final class Failures {
  private Failures() {}

  /** The name of a lock in messages. */
  public static String lock(String name) {
    return "lock " + Names.quoted(name);
  }

  /** Unwraps the failure that stages have wrapped. */
  public static Throwable unwrap(Throwable failure) {
    Throwable inner = failure;
    while ((inner instanceof CompletionException || inner instanceof ExecutionException)
        && inner.getCause() != null) {
      inner = inner.getCause();
    }
    return inner;
  }

  /** A temporary failure: the store may answer the next time. */
  public static boolean isPassing(Throwable failure) {
    return failure instanceof BackendException;
  }

  /** The message of the exception for calls on a closed client. */
  public static IllegalStateException closed() {
    return new IllegalStateException("this Sluice is closed");
  }

  /** A backend that throws counts as one that fails its stage. */
  public static <T> CompletionStage<T> call(Supplier<CompletionStage<T>> verb) {
    try {
      return verb.get();
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Continues with the result of a stage: on the caller's thread if it is there, and then without
   * another stage.
   */
  public static <T extends @Nullable Object> void then(
      CompletionStage<T> stage, BiConsumer<? super T, ? super Throwable> next) {
    if (stage instanceof CompletableFuture<T> done
        && done.isDone()
        && !done.isCompletedExceptionally()) {
      next.accept(done.join(), null);
    } else {
      stage.whenComplete(next);
    }
  }

  /** A copy of the failure with the stack trace of the caller's thread. */
  public static RuntimeException forCaller(String what, Throwable failure) {
    Throwable cause = unwrap(failure);
    String text = String.valueOf(cause.getMessage());
    text = text.startsWith(what) ? text : what + ": " + text;
    if (cause instanceof OutcomeUnknownException) {
      return new OutcomeUnknownException(text, cause);
    }
    if (cause instanceof NoQuorumException) {
      return new NoQuorumException(text, cause);
    }
    if (cause instanceof BackendException) {
      return new BackendException(text, cause);
    }
    if (cause instanceof ForeignDataException) {
      return new ForeignDataException(text, cause);
    }
    if (cause instanceof MissingDataException) {
      return new MissingDataException(text, cause);
    }
    if (cause instanceof NotReplicatedException) {
      return new NotReplicatedException(text, cause);
    }
    if (cause instanceof WrongCapacityException wrong) {
      return wrong.again();
    }
    if (cause instanceof UnsupportedOperationException) {
      return new UnsupportedOperationException(cause.getMessage(), cause);
    }
    if (cause instanceof IllegalArgumentException) {
      return new IllegalArgumentException(cause.getMessage(), cause);
    }
    if (cause instanceof IllegalStateException) {
      return new IllegalStateException(cause.getMessage(), cause);
    }
    return new SluiceException(text, cause);
  }

  /**
   * Completes on another thread, so that following code may block, with the failure that the
   * blocking form throws.
   */
  public static <T extends @Nullable Object> CompletableFuture<T> later(
      CompletableFuture<T> stage, String what, Executor executor) {
    CompletableFuture<T> answer =
        stage.handleAsync(
            (value, failure) -> {
              if (failure != null) {
                throw forCaller(what, failure);
              }
              return value;
            },
            executor);
    answer.whenComplete(
        (value, failure) -> {
          if (answer.isCancelled()) {
            stage.cancel(false);
          }
        });
    return answer;
  }

  /** Waits for a stage that ends within the request timeout. */
  public static <T> T await(CompletableFuture<T> stage, String what) {
    try {
      return stage.join();
    } catch (CompletionException e) {
      throw forCaller(what, e);
    }
  }
}
