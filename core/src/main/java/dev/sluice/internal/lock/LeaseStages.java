package dev.sluice.internal.lock;

import dev.sluice.lock.LockTimeoutException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The two result forms of an asynchronous acquisition. Cancelling the answer ends the wait; a lease
 * that arrives after that is released.
 */
final class LeaseStages {
  private LeaseStages() {}

  /** {@return the acquisition, empty if the wait timed out} */
  static <L> CompletableFuture<Optional<L>> tried(
      CompletableFuture<Optional<L>> asked, Consumer<L> release) {
    CompletableFuture<Optional<L>> answer = new CompletableFuture<>();
    asked.whenComplete(
        (lease, failure) -> {
          if (failure instanceof LockTimeoutException) {
            answer.complete(Optional.empty());
          } else if (failure != null) {
            answer.completeExceptionally(failure);
          } else if (!answer.complete(lease)) {
            lease.ifPresent(release);
          }
        });
    return cancelling(asked, answer);
  }

  /** {@return the same acquisition, failing with {@code refusal} where it is empty} */
  static <L> CompletableFuture<L> required(
      CompletableFuture<Optional<L>> asked,
      Supplier<LockTimeoutException> refusal,
      Consumer<L> release) {
    CompletableFuture<L> answer = new CompletableFuture<>();
    asked.whenComplete(
        (lease, failure) -> {
          if (failure != null) {
            answer.completeExceptionally(failure);
          } else if (lease.isEmpty()) {
            answer.completeExceptionally(refusal.get());
          } else if (!answer.complete(lease.get())) {
            release.accept(lease.get());
          }
        });
    return cancelling(asked, answer);
  }

  private static <A> CompletableFuture<A> cancelling(
      CompletableFuture<?> asked, CompletableFuture<A> answer) {
    answer.whenComplete(
        (@Nullable A value, @Nullable Throwable failure) -> {
          if (failure != null) {
            asked.cancel(false);
          }
        });
    return answer;
  }
}
