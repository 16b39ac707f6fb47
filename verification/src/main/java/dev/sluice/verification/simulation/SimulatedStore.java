package dev.sluice.verification.simulation;

import dev.sluice.lock.LockInfo;
import dev.sluice.memory.FaultyMemory;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.verification.history.Event;
import dev.sluice.verification.history.Event.Held;
import dev.sluice.verification.history.Event.SentMessage;
import dev.sluice.verification.history.Event.Verb;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The one store: real decisions on a clock that may be stepped, up or down, and forgetful. */
final class SimulatedStore {
  // 2026-01-01T00:00:00Z; any fixed moment does
  private static final long EPOCH_MICROS = 1_767_225_600_000_000L;

  private final VirtualTime world;
  private final MemoryBackend backend;
  private final List<SentMessage> messages = new ArrayList<>();
  private long stepMicros;
  private long downUntil;
  private long steppedBackNanos;

  SimulatedStore(VirtualTime world, Variant variant) {
    this.world = world;
    this.backend = FaultyMemory.locks(this::clock, variant::newState);
  }

  private long clock() {
    return EPOCH_MICROS + world.now / 1000 + stepMicros;
  }

  Object acquire(GrantRequest request) {
    return decide(
        Verb.ACQUIRE,
        request.client(),
        request.name(),
        request.attempt(),
        request.queue(),
        () -> backend.locks().acquire(request));
  }

  Object renew(GrantAttempt attempt, long ttlMicros) {
    return decide(
        Verb.RENEW,
        attempt.client(),
        attempt.name(),
        attempt.attempt(),
        false,
        () -> backend.locks().renew(attempt, ttlMicros));
  }

  Object release(GrantAttempt attempt) {
    return decide(
        Verb.RELEASE,
        attempt.client(),
        attempt.name(),
        attempt.attempt(),
        false,
        () -> backend.locks().release(attempt, 0));
  }

  private Object decide(
      Verb verb,
      String client,
      String name,
      long attempt,
      boolean queues,
      Supplier<CompletionStage<?>> decision) {
    messages.clear();
    Object reply = decision.get().toCompletableFuture().join();
    List<SentMessage> sent = List.copyOf(messages);
    LockInfo info = inspect(name);
    world.history.add(
        new Event.Decided(
            world.now,
            verb,
            client,
            name,
            attempt,
            queues,
            reply,
            held(info),
            waiters(info),
            sent));
    return reply;
  }

  LockInfo inspect(String name) {
    return backend.locks().inspect(name).toCompletableFuture().join().asLock();
  }

  @Nullable Held held(LockInfo info) {
    return info.holder()
        .map(
            holder ->
                new Held(
                    holder.client(),
                    holder.attempt(),
                    holder.token(),
                    info.lastToken(),
                    world.now + holder.remaining().toNanos()))
        .orElse(null);
  }

  static List<String> waiters(LockInfo info) {
    return info.waiters().stream().map(LockInfo.Waiter::client).toList();
  }

  void listen(String client, Consumer<LockMessage> listener) {
    backend
        .locks()
        .listen(
            client,
            message -> {
              messages.add(new SentMessage(client, message.kind()));
              listener.accept(message);
            });
  }

  void unlisten(String client) {
    backend.locks().unlisten(client);
  }

  void step(long nanos) {
    stepMicros += nanos / 1000;
    steppedBackNanos += Math.max(0, -nanos);
    world.history.add(new Event.Fault(world.now, Event.Kind.STEPPED, "", nanos));
  }

  /** How far tokens run ahead of the clock: what an outage with loss of data must outlast. */
  long leadNanos() {
    long lead = 0;
    for (String name : world.profile.names) {
      lead = Math.max(lead, (inspect(name).lastToken() - clock()) * 1000);
    }
    return lead;
  }

  boolean isUp() {
    return world.now >= downUntil;
  }

  void goDown(long nanos) {
    downUntil = Math.max(downUntil, world.now + nanos);
  }

  void forgetEverything() {
    backend.clear();
    world.history.add(new Event.Fault(world.now, Event.Kind.AMNESIA, "", 0));
  }

  /** Says what is left now, and whether anything is once the retention has passed. */
  void rest(long retentionNanos) {
    List<LockInfo> infos = world.profile.names.stream().map(this::inspect).toList();
    long longest = Math.max(0, leadNanos());
    for (LockInfo info : infos) {
      Held held = held(info);
      longest = Math.max(longest, held == null ? 0 : held.until() - world.now);
    }
    stepMicros += (retentionNanos + longest + steppedBackNanos) / 1000;
    for (LockInfo info : infos) {
      inspect(info.name()); // a touch sweeps the name
      boolean remembered =
          backend.locks().names(100).toCompletableFuture().join().contains(info.name());
      world.history.add(
          new Event.Left(world.now, info.name(), held(info), waiters(info), remembered));
    }
  }
}
