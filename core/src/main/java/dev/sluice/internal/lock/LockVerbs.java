package dev.sluice.internal.lock;

import dev.sluice.lock.LockInfo;
import dev.sluice.lock.PermitInfo;
import dev.sluice.spi.AcquireReply;
import dev.sluice.spi.AcquireRequest;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockBackend;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.RenewReply;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** The verbs of locks as those of names with one unit. */
record LockVerbs(LockBackend locks) implements GrantBackend {

  /** The same answer about {@code units}. */
  static GrantReply withUnits(AcquireReply reply, int units) {
    if (reply instanceof AcquireReply.Granted granted) {
      return new GrantReply.Granted(
          granted.token(), granted.block(), granted.remainingMicros(), granted.waiting(), units);
    }
    if (reply instanceof AcquireReply.Busy busy) {
      return new GrantReply.Busy(busy.remainingMicros());
    }
    return reply instanceof AcquireReply.Queued queued
        ? new GrantReply.Queued(queued.position(), queued.remainingMicros())
        : new GrantReply.Over();
  }

  @Override
  public CompletionStage<GrantReply> acquire(GrantRequest request) {
    return locks
        .acquire(
            new AcquireRequest(
                request.name(),
                request.client(),
                request.attempt(),
                request.ttlMicros(),
                request.block(),
                request.queue()))
        .thenApply(reply -> withUnits(reply, 1));
  }

  @Override
  public boolean confirmsInParts() {
    return locks.confirmsInParts();
  }

  @Override
  public CompletionStage<RenewReply> renew(
      String name, String client, long attempt, long ttlMicros) {
    return locks.renew(name, client, attempt, ttlMicros);
  }

  @Override
  public CompletionStage<Boolean> release(String name, String client, long attempt, int keep) {
    return locks.release(name, client, attempt);
  }

  @Override
  public CompletionStage<PermitInfo> inspect(String name) {
    return locks.inspect(name).thenApply(LockVerbs::asPermits);
  }

  private static PermitInfo asPermits(LockInfo info) {
    return new PermitInfo(
        info.name(),
        1,
        info.holder().stream()
            .map(
                holder ->
                    new PermitInfo.Holder(
                        holder.client(),
                        holder.attempt(),
                        1,
                        holder.token(),
                        holder.since(),
                        holder.remaining()))
            .toList(),
        info.waiters().stream()
            .map(waiter -> new PermitInfo.Waiter(waiter.client(), waiter.attempt(), 1))
            .toList(),
        info.lastToken());
  }

  @Override
  public CompletionStage<List<String>> names(int limit) {
    return locks.names(limit);
  }

  @Override
  public CompletionStage<Void> listen(String client, Consumer<LockMessage> listener) {
    return locks.listen(client, listener);
  }

  @Override
  public void unlisten(String client) {
    locks.unlisten(client);
  }

  @Override
  public Optional<Delay> delay() {
    return Optional.of(locks::releaseAfter);
  }

  @Override
  public Optional<Force> force() {
    return Optional.of(locks::forceRelease);
  }
}
