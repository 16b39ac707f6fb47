package dev.sluice.internal.lock;

import dev.sluice.lock.PermitInfo;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.PermitBackend;
import dev.sluice.spi.PermitRequest;
import dev.sluice.spi.RenewReply;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** The verbs of permits as those of names with some units. */
record PermitVerbs(PermitBackend permits) implements GrantBackend {
  @Override
  public CompletionStage<GrantReply> acquire(GrantRequest request) {
    return permits
        .acquire(
            new PermitRequest(
                request.name(),
                request.client(),
                request.attempt(),
                request.ttlMicros(),
                request.capacity(),
                request.least(),
                request.most(),
                request.first(),
                request.block(),
                request.queue()))
        .thenApply(reply -> LockVerbs.withUnits(reply.decision(), reply.units()));
  }

  @Override
  public boolean confirmsInParts() {
    return permits.confirmsInParts();
  }

  @Override
  public CompletionStage<RenewReply> renew(
      String name, String client, long attempt, long ttlMicros) {
    return permits.renew(name, client, attempt, ttlMicros);
  }

  @Override
  public CompletionStage<Boolean> release(String name, String client, long attempt, int keep) {
    return permits.release(name, client, attempt, keep);
  }

  @Override
  public CompletionStage<PermitInfo> inspect(String name) {
    return permits.inspect(name);
  }

  @Override
  public CompletionStage<List<String>> names(int limit) {
    return permits.names(limit);
  }

  @Override
  public CompletionStage<Void> listen(String client, Consumer<LockMessage> listener) {
    return permits.listen(client, listener);
  }

  @Override
  public void unlisten(String client) {
    permits.unlisten(client);
  }

  @Override
  public Optional<Resize> resize() {
    return Optional.of(permits::resize);
  }
}
