package dev.sluice.verification.simulation;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.lock.PermitInfo;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.RenewReply;
import dev.sluice.verification.history.Event;
import dev.sluice.verification.history.Event.Verb;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The network between one process and the store: delays, loses, repeats and reorders. */
final class SimulatedNetwork implements GrantBackend {
  private final VirtualTime world;
  private final SimulatedStore store;
  private final Process process;

  SimulatedNetwork(VirtualTime world, SimulatedStore store, Process process) {
    this.world = world;
    this.store = store;
    this.process = process;
  }

  @Override
  public CompletionStage<GrantReply> acquire(GrantRequest request) {
    return send(
        Verb.ACQUIRE, request.name(), request.attempt(), () -> (GrantReply) store.acquire(request));
  }

  @Override
  public CompletionStage<RenewReply> renew(GrantAttempt attempt, long ttlMicros) {
    return send(
        Verb.RENEW,
        attempt.name(),
        attempt.attempt(),
        () -> (RenewReply) store.renew(attempt, ttlMicros));
  }

  @Override
  public CompletionStage<Boolean> release(GrantAttempt attempt, int keep) {
    return send(
        Verb.RELEASE, attempt.name(), attempt.attempt(), () -> (Boolean) store.release(attempt));
  }

  private <T> CompletionStage<T> send(Verb verb, String name, long attempt, Supplier<T> decision) {
    world.history.add(new Event.Sent(world.now, process.id, verb, name, attempt));
    CompletableFuture<T> reply = new Call<>(process);
    boolean refused = !store.isUp() && world.chance(0.5);
    if (refused) {
      world.in(
          transit(),
          process,
          () -> reply.completeExceptionally(new BackendException("connection refused", null)));
      return reply;
    }
    Profile profile = world.profile;
    if (world.healed || !world.chance(profile.lostRequests)) {
      world.in(transit(), null, () -> deliver(verb, name, decision, reply));
    }
    if (!world.healed && world.chance(profile.repeated)) {
      world.in(transit() + transit(), null, () -> deliver(verb, name, decision, reply));
    }
    process.schedule(
        () ->
            reply.completeExceptionally(new OutcomeUnknownException("no answer to " + verb, null)),
        profile.requestTimeout);
    return reply;
  }

  private <T> void deliver(
      Verb verb, String name, Supplier<T> decision, CompletableFuture<T> reply) {
    if (!store.isUp()) {
      return;
    }
    T answer = decision.get();
    if (!world.healed && world.chance(world.profile.lostReplies)) {
      return;
    }
    world.in(
        transit(),
        process,
        () -> {
          if (!reply.isDone()) {
            world.history.add(new Event.Answered(world.now, process.id, verb, name));
            reply.complete(answer);
          }
        });
  }

  private long transit() {
    Profile profile = world.profile;
    if (!world.healed && world.chance(profile.lateShare)) {
      return world.random.nextLong(profile.late);
    }
    return 20_000 + world.upTo(profile.delay);
  }

  @Override
  public CompletionStage<Void> listen(String client, Consumer<LockMessage> listener) {
    CompletableFuture<Void> done = new Call<>(process);
    if (!store.isUp() || (!world.healed && world.chance(world.profile.lostRequests))) {
      world.in(
          transit(),
          process,
          () -> done.completeExceptionally(new BackendException("not subscribed", null)));
      return done;
    }
    world.in(
        transit(),
        null,
        () -> {
          store.listen(client, message -> post(listener, message));
          world.in(transit(), process, () -> done.complete(null));
        });
    return done;
  }

  private void post(Consumer<LockMessage> listener, LockMessage message) {
    if (!world.healed && world.chance(world.profile.lostMessages)) {
      return;
    }
    world.in(transit(), process, () -> listener.accept(message));
    if (!world.healed && world.chance(world.profile.repeated)) {
      world.in(transit() + transit(), process, () -> listener.accept(message));
    }
  }

  @Override
  public void unlisten(String client) {
    store.unlisten(client);
  }

  @Override
  public CompletionStage<PermitInfo> inspect(String name) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletionStage<List<String>> names(int limit) {
    throw new UnsupportedOperationException();
  }

  /** A stage whose blocking wait lets the world go on. */
  private static final class Call<T> extends CompletableFuture<T> {
    private final Process process;

    Call(Process process) {
      this.process = process;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
      return new Call<>(process);
    }

    @Override
    public T join() {
      process.await(this);
      return super.join();
    }
  }
}
