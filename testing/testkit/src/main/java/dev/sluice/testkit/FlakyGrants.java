package dev.sluice.testkit;

import dev.sluice.lock.PermitInfo;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.RenewReply;
import dev.sluice.testkit.FlakyBackend.Verb;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * The locks, or the semaphores and read-write locks, behind a {@link FlakyBackend}. Safe for use by
 * many threads.
 */
final class FlakyGrants implements GrantBackend {
  private final FlakyBackend line;
  private final GrantBackend store;

  FlakyGrants(FlakyBackend line, GrantBackend store) {
    this.line = line;
    this.store = store;
  }

  @Override
  public CompletionStage<GrantReply> acquire(GrantRequest request) {
    line.note(request, () -> store.acquire(request));
    return line.send(Verb.ACQUIRE, () -> store.acquire(request));
  }

  @Override
  public boolean servesWritersFirst() {
    return store.servesWritersFirst();
  }

  @Override
  public boolean mayGrantShorterThanTtl() {
    return store.mayGrantShorterThanTtl();
  }

  @Override
  public CompletionStage<RenewReply> renew(GrantAttempt attempt, long ttlMicros) {
    return line.send(Verb.RENEW, () -> store.renew(attempt, ttlMicros));
  }

  @Override
  public CompletionStage<Boolean> release(GrantAttempt attempt, int keep) {
    return line.send(Verb.RELEASE, () -> store.release(attempt, keep));
  }

  @Override
  public Optional<Delay> delay() {
    return store
        .delay()
        .map(
            verb ->
                (attempt, delayMicros) ->
                    line.send(Verb.RELEASE_AFTER, () -> verb.releaseAfter(attempt, delayMicros)));
  }

  @Override
  public Optional<Force> force() {
    return store
        .force()
        .map(verb -> (name, token) -> line.send(Verb.FORCE, () -> verb.force(name, token)));
  }

  @Override
  public Optional<Resize> resize() {
    return store
        .resize()
        .map(verb -> (name, capacity) -> line.send(Verb.RESIZE, () -> verb.resize(name, capacity)));
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
