package dev.sluice.internal.limit;

import dev.sluice.internal.call.BoundedCalls;
import dev.sluice.limit.Decision;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRequest;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one limiter that have a request under way or leased permits. Safe for use by many
 * threads.
 */
final class BusyKeys {
  /*
   * A caller that finds no other one of its key goes straight to the store. The map then holds its
   * request itself. The next caller puts a KeyCoordinator in its place, where callers gather until that
   * request has ended. Where permits are taken in advance a key has a KeyCoordinator from the start.
   */
  private final LimitCalls calls;

  /** A {@link Lone} request or a {@link KeyCoordinator}. */
  private final ConcurrentHashMap<String, Object> keys = new ConcurrentHashMap<>();

  BusyKeys(LimitCalls calls) {
    this.calls = calls;
  }

  /** The only request for its key. */
  private final class Lone implements BoundedCalls.Answer<LimitReply, Decision> {
    private final String key;
    private final LimitPolicy.Tiers tiers;
    private final long cost;

    Lone(String key, LimitPolicy.Tiers tiers, long cost) {
      this.key = key;
      this.tiers = tiers;
      this.cost = cost;
    }

    CompletableFuture<Decision> send() {
      LimitRequest request = calls.request(LimitRequest.Verb.TAKE, key, tiers, cost, 1, 0, 0);
      return calls.bounded.call(() -> calls.store.backend.decide(request), this);
    }

    @Override
    public Decision of(@Nullable LimitReply reply, @Nullable Throwable failure) {
      if (!keys.remove(key, this) && keys.get(key) instanceof KeyCoordinator coordinator) {
        coordinator
            .release(); // first: code that follows the answer may make a request and wait for it
      }
      if (reply != null) {
        return calls.decided(tiers, reply);
      }
      return calls.fallBack(
          key, tiers, cost, failure == null ? new IllegalStateException("no answer") : failure);
    }
  }

  /** A decision without the store, from leased permits or a recent refusal. */
  @Nullable Decision local(String key, LimitPolicy.Tiers tiers, long cost) {
    return keys.get(key) instanceof KeyCoordinator coordinator
        ? coordinator.local(tiers, cost)
        : null;
  }

  CompletableFuture<Decision> take(String key, LimitPolicy.Tiers tiers, long cost) {
    while (true) {
      Object present = keys.get(key);
      if (present instanceof KeyCoordinator coordinator) {
        CompletableFuture<Decision> answer = coordinator.ask(tiers, cost);
        if (answer != null) {
          return answer;
        }
        keys.remove(
            key, coordinator); // it retired at this moment, on a thread that has yet to remove it
      } else if (present instanceof Lone lone) {
        KeyCoordinator coordinator = coordinator(key);
        coordinator.holdBack();
        keys.replace(key, lone, coordinator);
      } else if (calls.policy().options.isLeasing()) {
        keys.putIfAbsent(key, coordinator(key));
      } else {
        Lone lone = new Lone(key, tiers, cost);
        if (keys.putIfAbsent(key, lone) == null) {
          return lone.send();
        }
      }
    }
  }

  private KeyCoordinator coordinator(String key) {
    return new KeyCoordinator(calls, key, retired -> keys.remove(key, retired));
  }

  /** Drops the last refusal of a key. */
  void forgetRefusal(String key) {
    if (keys.get(key) instanceof KeyCoordinator coordinator) {
      coordinator.forgetRefusal();
    }
  }

  /** Returns leased permits of a key, and drops its last refusal. */
  void forgetLocal(String key) {
    if (keys.get(key) instanceof KeyCoordinator coordinator) {
      coordinator.forgetLocal();
    }
  }

  void forgetLocal() {
    each(KeyCoordinator::forgetLocal);
  }

  /** Fails waiting callers. */
  void close() {
    each(KeyCoordinator::close);
  }

  private void each(Consumer<KeyCoordinator> action) {
    for (Object present : List.copyOf(keys.values())) {
      if (present instanceof KeyCoordinator coordinator) {
        action.accept(coordinator);
      }
    }
  }
}
