package dev.sluice.verification.torture;

import dev.sluice.lock.LockInfo;
import dev.sluice.lock.PermitInfo;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.RenewReply;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * A lock backend with a fault of our own making, between the core and the real one: for stores that
 * are asked in no words which could be changed on their way.
 */
class PlantedLocks implements GrantBackend {
  final GrantBackend inner;

  private PlantedLocks(GrantBackend inner) {
    this.inner = inner;
  }

  /** A release frees the lock of any holder. */
  static GrantBackend releasesAnyHolder(GrantBackend inner) {
    return new PlantedLocks(inner) {
      @Override
      public CompletionStage<Boolean> release(GrantAttempt attempt, int keep) {
        return inner
            .release(attempt, keep)
            .thenCompose(
                ours ->
                    ours
                        ? CompletableFuture.completedStage(true)
                        : inner.inspect(attempt.name()).thenCompose(info -> free(info.asLock())));
      }

      private CompletionStage<Boolean> free(LockInfo info) {
        return info.holder()
            .map(
                holder ->
                    inner
                        .release(
                            new GrantAttempt.Id(info.name(), holder.client(), holder.attempt()), 0)
                        .thenCompose(
                            freed ->
                                freed
                                    ? CompletableFuture.completedStage(true)
                                    : inner
                                        .force()
                                        .orElseThrow()
                                        .force(info.name(), 0)
                                        .thenApply(Optional::isPresent)))
            .orElse(CompletableFuture.completedStage(false));
      }
    };
  }

  /** A renewal takes a lock that has no holder any more. */
  static GrantBackend renewalRecreates(GrantBackend inner) {
    return new PlantedLocks(inner) {
      @Override
      public CompletionStage<RenewReply> renew(GrantAttempt attempt, long ttlMicros) {
        return inner
            .renew(attempt, ttlMicros)
            .thenCompose(
                reply ->
                    reply instanceof RenewReply.Gone
                        ? take(attempt, ttlMicros)
                        : CompletableFuture.completedStage(reply));
      }

      private CompletionStage<RenewReply> take(GrantAttempt attempt, long ttlMicros) {
        return inner
            .acquire(
                new GrantRequest(
                    attempt.name(), attempt.client(), attempt.attempt(), ttlMicros, 1, false))
            .thenApply(
                reply ->
                    reply instanceof GrantReply.Granted granted
                        ? new RenewReply.Renewed(granted.remainingMicros(), granted.waiting())
                        : new RenewReply.Gone());
      }
    };
  }

  /** Each process counts the tokens of its grants. */
  static GrantBackend countsTokens(GrantBackend inner) {
    AtomicLong last = new AtomicLong();
    return new PlantedLocks(inner) {
      @Override
      public CompletionStage<GrantReply> acquire(GrantRequest request) {
        return inner
            .acquire(request)
            .thenApply(
                reply ->
                    reply instanceof GrantReply.Granted granted
                        ? new GrantReply.Granted(
                            last.incrementAndGet(), 1, granted.remainingMicros(), granted.waiting())
                        : reply);
      }
    };
  }

  @Override
  public CompletionStage<GrantReply> acquire(GrantRequest request) {
    return inner.acquire(request);
  }

  @Override
  public CompletionStage<RenewReply> renew(GrantAttempt attempt, long ttlMicros) {
    return inner.renew(attempt, ttlMicros);
  }

  @Override
  public CompletionStage<Boolean> release(GrantAttempt attempt, int keep) {
    return inner.release(attempt, keep);
  }

  @Override
  public Optional<Delay> delay() {
    return inner.delay();
  }

  @Override
  public Optional<Force> force() {
    return inner.force();
  }

  @Override
  public CompletionStage<PermitInfo> inspect(String name) {
    return inner.inspect(name);
  }

  @Override
  public CompletionStage<List<String>> names(int limit) {
    return inner.names(limit);
  }

  @Override
  public CompletionStage<Void> listen(String client, Consumer<LockMessage> listener) {
    return inner.listen(client, listener);
  }

  @Override
  public void unlisten(String client) {
    inner.unlisten(client);
  }
}
