package dev.sluice.testkit;

import dev.sluice.lock.PermitInfo;
import dev.sluice.spi.AcquireRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.PermitBackend;
import dev.sluice.spi.PermitReply;
import dev.sluice.spi.PermitRequest;
import dev.sluice.spi.RenewReply;
import dev.sluice.testkit.FlakyBackend.Verb;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * The semaphores and read-write locks behind a {@link FlakyBackend}, under the verbs of locks. Safe
 * for use by many threads.
 */
final class FlakyPermits implements PermitBackend {
  private final FlakyBackend line;
  private final PermitBackend store;

  FlakyPermits(FlakyBackend line, PermitBackend store) {
    this.line = line;
    this.store = store;
  }

  @Override
  public CompletionStage<PermitReply> acquire(PermitRequest request) {
    AcquireRequest noted =
        new AcquireRequest(
            request.name(),
            request.client(),
            request.attempt(),
            request.ttlMicros(),
            request.block(),
            request.queue());
    line.note(noted, () -> store.acquire(request));
    return line.send(Verb.ACQUIRE, () -> store.acquire(request));
  }

  @Override
  public boolean confirmsInParts() {
    return store.confirmsInParts();
  }

  @Override
  public CompletionStage<RenewReply> renew(
      String name, String client, long attempt, long ttlMicros) {
    return line.send(Verb.RENEW, () -> store.renew(name, client, attempt, ttlMicros));
  }

  @Override
  public CompletionStage<Boolean> release(String name, String client, long attempt, int keep) {
    return line.send(Verb.RELEASE, () -> store.release(name, client, attempt, keep));
  }

  @Override
  public CompletionStage<Integer> resize(String name, int capacity) {
    return line.send(Verb.RESIZE, () -> store.resize(name, capacity));
  }

  @Override
  public CompletionStage<PermitInfo> inspect(String name) {
    return line.send(Verb.INSPECT, () -> store.inspect(name));
  }

  @Override
  public CompletionStage<List<String>> names(int limit) {
    return line.send(Verb.NAMES, () -> store.names(limit));
  }

  @Override
  public CompletionStage<Void> listen(String client, Consumer<LockMessage> listener) {
    return line.onceHeard(store.listen(client, line.hearing(listener)));
  }

  @Override
  public void unlisten(String client) {
    store.unlisten(client);
  }
}
