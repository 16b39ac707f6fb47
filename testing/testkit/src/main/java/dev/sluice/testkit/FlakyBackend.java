package dev.sluice.testkit;

import dev.sluice.OutcomeUnknownException;
import dev.sluice.limit.Settlement;
import dev.sluice.limit.ThrottleReply;
import dev.sluice.spi.Backend;
import dev.sluice.spi.BloomBackend;
import dev.sluice.spi.CacheBackend;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.InventoryBackend;
import dev.sluice.spi.LatchBackend;
import dev.sluice.spi.LimitBackend;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.LimitRule;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.QueueReply;
import dev.sluice.spi.QueueRequest;
import dev.sluice.spi.SettleRequest;
import dev.sluice.spi.ThrottleRequest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A backend with injected faults: it loses, holds, delays and repeats requests and replies, and
 * drops messages, as the test requests. It also counts. What reaches the store is decided by the
 * store; nothing is made up here but the failure that a caller sees.
 *
 * <p>Safe for use by many threads.
 *
 * @since 0.1
 */
public final class FlakyBackend implements Backend, LimitBackend {

  /** A kind of request to a store. */
  public enum Verb {
    /** Acquire requests and polls of a lock. */
    ACQUIRE,
    /** Renewing a grant. */
    RENEW,
    /** Ending an attempt. */
    RELEASE,
    /** Ending an attempt, and a delayed release. */
    RELEASE_AFTER,
    /** Ending the grant of any client. */
    FORCE,
    /** Looking. */
    INSPECT,
    /** Requests for names. */
    NAMES,
    /** Changing the number of permits of a semaphore. */
    RESIZE,
    /** Taking, reading and returning permits. */
    DECIDE,
    /** Settling a use. */
    SETTLE_USE,
    /** Resetting a key. */
    FORGET,
    /** Entering and polling a leaky queue. */
    ENTER,
    /** Moving forward in a leaky queue. */
    ADVANCE,
    /** Leaving it. */
    LEAVE,
    /** The operation {@code CL.THROTTLE} of redis-cell. */
    THROTTLE,
    /** Setting and reading bits of a Bloom filter. */
    TOUCH,
    /** Other requests of a Bloom filter: creating, reading headers, counting, removing. */
    TEND,
    /** Reading a cached value. */
    READ,
    /** Requests for a fill lease. */
    BEGIN,
    /** Lengthening it. */
    KEEP,
    /** Storing a loaded value. */
    FILL,
    /** Ending a fill lease without a value. */
    ABANDON,
    /** Announcing a write. */
    INTEND,
    /** Invalidating a value. */
    INVALIDATE,
    /** Storing a value without a load. */
    PUT,
    /** Invalidating every value. */
    CLEAR,
    /** Requests for the versions of tags. */
    TAGS,
    /** Invalidating a tag. */
    DROP_TAG,
    /** Writing to the log of a cache. */
    APPEND,
    /** Reading it. */
    LOG,
    /** Setting the count of a latch. */
    SET_COUNT,
    /** Counting down. */
    COUNT_DOWN,
    /** Reading a latch, and waiting for it. */
    LOOK,
    /** Opening a sale, ending it, and changing its total. */
    SELL,
    /** Requests for the counts of a stock. */
    FIGURES,
    /** Claiming units. */
    CLAIM,
    /** Confirming and cancelling a claim. */
    FINISH,
    /** Finding a claim. */
    FIND,
    /** Returning expired claims. */
    EXPIRE,
    /** Taking claims to be written. */
    TAKE,
    /** Settlements of claims. */
    SETTLE,
    /** Requests for dead letters, and for requeueing them. */
    ASIDE,
    /** Paging through claims. */
    PAGE,
    /** Restoring orders from a ledger. */
    RESTORE
  }

  /** The fault of a call. */
  public enum Fault {
    /** No fault. */
    NONE,
    /** The request never arrives; the caller gets {@link OutcomeUnknownException}. */
    LOSES_REQUEST,
    /** The store executes the call; the caller gets {@link OutcomeUnknownException}. */
    LOSES_REPLY,
    /** The request waits for {@link Held#deliver()}. */
    HOLDS_REQUEST,
    /** The store executes the call immediately; the answer waits for {@link Held#deliver()}. */
    HOLDS_REPLY,
    /** The request arrives twice; the caller gets the first answer. */
    REPEATS_REQUEST
  }

  /** A call under way. */
  public static final class Held {
    private final Runnable delivery;
    private final CompletableFuture<?> answer;
    private final Verb verb;

    private Held(Verb verb, Runnable delivery, CompletableFuture<?> answer) {
      this.verb = verb;
      this.delivery = delivery;
      this.answer = answer;
    }

    /** Delivers the request. Each further call lets it arrive once more. */
    public void deliver() {
      delivery.run();
    }

    /** Fails the call as unanswered, while the call itself is still under way. */
    public void timeOut() {
      answer.completeExceptionally(unknown(verb));
    }
  }

  private static final long MAX_CALL_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Backend store;
  private final GrantBackend locks;
  private final AtomicInteger underWay = new AtomicInteger();
  // guarded by this
  private final Map<Verb, Fault> faults = new EnumMap<>(Verb.class);
  private final Map<Verb, Deque<Fault>> next = new EnumMap<>(Verb.class);
  private final Map<Verb, RuntimeException> failures = new EnumMap<>(Verb.class);
  private final Map<Verb, Integer> calls = new EnumMap<>(Verb.class);
  private final Deque<Held> held = new ArrayDeque<>();

  private record Sent(GrantRequest request, Supplier<CompletionStage<?>> again) {}

  private final List<Sent> requests = new CopyOnWriteArrayList<>();
  private final List<LockMessage> messages = new CopyOnWriteArrayList<>();
  private volatile boolean losesMessages;
  private volatile boolean isListening;

  /**
   * Creates a backend without faults.
   *
   * @param store what it leads to; closed with this
   */
  public FlakyBackend(Backend store) {
    this.store = store;
    this.locks = new FlakyGrants(this, store.locks());
  }

  /**
   * Sets the fault of every call from now on.
   *
   * @param verb which calls
   * @param fault what happens to them
   * @return this
   */
  public synchronized FlakyBackend set(Verb verb, Fault fault) {
    faults.put(verb, fault);
    return this;
  }

  /**
   * Sets the fault of the next call only. Several times: of the one after, and so on.
   *
   * @param verb which call
   * @param fault what happens to it
   * @return this
   */
  public synchronized FlakyBackend next(Verb verb, Fault fault) {
    next.computeIfAbsent(verb, v -> new ArrayDeque<>()).add(fault);
    return this;
  }

  /**
   * Fails every call before it reaches the store.
   *
   * @param verb which calls
   * @param failure what callers get, or null to stop
   * @return this
   */
  public synchronized FlakyBackend failWith(Verb verb, @Nullable RuntimeException failure) {
    if (failure == null) {
      failures.remove(verb);
    } else {
      failures.put(verb, failure);
    }
    return this;
  }

  /**
   * Drops messages from the store, or stops dropping them.
   *
   * @param loses whether messages are lost from now on
   * @return this
   */
  public FlakyBackend losesMessages(boolean loses) {
    losesMessages = loses;
    return this;
  }

  /**
   * Cuts the connection permanently, so that this client seems dead to all other clients. Its
   * earlier requests have arrived by then, so nothing is done in its name afterwards.
   */
  public void die() {
    losesMessages = true;
    synchronized (this) {
      next.clear();
      setAll(Fault.LOSES_REQUEST);
    }
    awaitAnswers();
  }

  /** Waits, at most 5 s, until the store has answered each call that reached it. */
  public void awaitAnswers() {
    long start = System.nanoTime();
    while (underWay.get() > 0 && System.nanoTime() - start < MAX_CALL_NANOS) {
      LockSupport.parkNanos(100_000);
    }
  }

  /** Removes all faults. Calls that were held are lost. */
  public void heal() {
    List<Held> lost;
    synchronized (this) {
      faults.clear();
      next.clear();
      failures.clear();
      lost = List.copyOf(held);
      held.clear();
    }
    losesMessages = false;
    lost.forEach(Held::timeOut);
  }

  /** Drops the recorded requests and replies, for tests that send many and do not read them. */
  public void forgetHistory() {
    requests.clear();
    messages.clear();
  }

  /** {@return the call held for the longest time, and stops holding it} */
  public synchronized Held takeHeld() {
    if (held.isEmpty()) {
      throw new AssertionError("no call is held");
    }
    return held.removeFirst();
  }

  /** {@return the number of held calls} */
  public synchronized int heldCalls() {
    return held.size();
  }

  /**
   * Counts the calls of the client, failed ones included.
   *
   * @param verb which calls
   * @return how many
   */
  public synchronized int calls(Verb verb) {
    return calls.getOrDefault(verb, 0);
  }

  /** {@return the number of calls of the client, including failed ones} */
  public synchronized int calls() {
    return calls.values().stream().mapToInt(Integer::intValue).sum();
  }

  /**
   * Sets the fault of every call of every kind from now on.
   *
   * @param fault what happens to them
   * @return this
   */
  public synchronized FlakyBackend setAll(Fault fault) {
    for (Verb verb : Verb.values()) {
      faults.put(verb, fault);
    }
    return this;
  }

  /** {@return every acquire that the client sent, in order} */
  public List<GrantRequest> acquires() {
    return requests.stream().map(Sent::request).toList();
  }

  /** {@return every message that the store sent to the client, including dropped ones} */
  public List<LockMessage> messages() {
    return List.copyOf(messages);
  }

  /** {@return whether the client is subscribed to messages about locks or permits} */
  public boolean isListening() {
    return isListening;
  }

  boolean losesMessages() {
    return losesMessages;
  }

  /**
   * Delivers an old acquire request once more, as a network may do. The store's answer goes
   * nowhere.
   *
   * @param request one of {@link #acquires()}
   */
  public void deliverAgain(GrantRequest request) {
    Sent sent =
        requests.stream()
            .filter(each -> each.request == request)
            .findFirst()
            .orElseThrow(() -> new AssertionError("never sent: " + request));
    sent.again.get().toCompletableFuture().join();
  }

  @Override
  public String describe() {
    return store.describe();
  }

  @Override
  public GrantBackend locks() {
    return locks;
  }

  @Override
  public GrantBackend permits() {
    return new FlakyGrants(this, store.permits());
  }

  @Override
  public LimitBackend limits() {
    store.limits(); // fails where the store has none
    return this;
  }

  @Override
  public CacheBackend caches() {
    return new FlakyPart(this, store.caches(), FlakyPart.CACHES, null).as(CacheBackend.class);
  }

  @Override
  public BloomBackend blooms() {
    return new FlakyPart(this, store.blooms(), FlakyPart.BLOOMS, Verb.TEND).as(BloomBackend.class);
  }

  @Override
  public LatchBackend latches() {
    return new FlakyPart(this, store.latches(), FlakyPart.LATCHES, null).as(LatchBackend.class);
  }

  @Override
  public InventoryBackend inventories() {
    return new FlakyPart(this, store.inventories(), FlakyPart.INVENTORIES, null)
        .as(InventoryBackend.class);
  }

  @Override
  public void close() {
    store.close();
  }

  CompletionStage<Void> onceHeard(CompletionStage<Void> subscription) {
    return subscription.thenRun(() -> isListening = true);
  }

  Consumer<LockMessage> hearing(Consumer<LockMessage> listener) {
    return message -> {
      if (!losesMessages) {
        listener.accept(message);
      }
      messages.add(message); // now the client has acted on it
    };
  }

  void note(GrantRequest request, Supplier<CompletionStage<?>> again) {
    requests.add(new Sent(request, again));
  }

  @Override
  public CompletionStage<LimitReply> decide(LimitRequest request) {
    return send(Verb.DECIDE, () -> store.limits().decide(request));
  }

  @Override
  public CompletionStage<Settlement> settle(SettleRequest request) {
    return send(Verb.SETTLE_USE, () -> store.limits().settle(request));
  }

  @Override
  public CompletionStage<Void> forget(String limiter, String key, List<LimitRule> rules) {
    return send(Verb.FORGET, () -> store.limits().forget(limiter, key, rules));
  }

  @Override
  public CompletionStage<QueueReply> enter(QueueRequest request) {
    return send(Verb.ENTER, () -> store.limits().enter(request));
  }

  @Override
  public CompletionStage<QueueReply> advance(QueueRequest request) {
    return send(Verb.ADVANCE, () -> store.limits().advance(request));
  }

  @Override
  public CompletionStage<Boolean> leave(QueueRequest request) {
    return send(Verb.LEAVE, () -> store.limits().leave(request));
  }

  @Override
  public CompletionStage<Void> listenForTurns(String client, Consumer<Long> listener) {
    return store
        .limits()
        .listenForTurns(
            client,
            ticket -> {
              if (!losesMessages) {
                listener.accept(ticket);
              }
            });
  }

  @Override
  public void unlistenForTurns(String client) {
    store.limits().unlistenForTurns(client);
  }

  @Override
  public CompletionStage<ThrottleReply> throttle(String key, ThrottleRequest request) {
    return send(Verb.THROTTLE, () -> store.limits().throttle(key, request));
  }

  <T extends @Nullable Object> CompletionStage<T> send(
      Verb verb, Supplier<CompletionStage<T>> call) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    Fault fault;
    synchronized (this) {
      calls.merge(verb, 1, Integer::sum);
      RuntimeException failure = failures.get(verb);
      if (failure != null) {
        return CompletableFuture.failedFuture(failure);
      }
      Deque<Fault> planned = next.get(verb);
      Fault once = planned == null ? null : planned.poll();
      fault = once == null ? faults.getOrDefault(verb, Fault.NONE) : once;
      if (fault == Fault.HOLDS_REQUEST) {
        held.add(new Held(verb, () -> pass(call, answer), answer));
      } else if (fault == Fault.NONE) {
        underWay.incrementAndGet(); // before a change of the line returns
      }
    }
    switch (fault) {
      case NONE -> {
        try {
          pass(call, answer);
        } finally {
          underWay.decrementAndGet();
        }
      }
      case LOSES_REQUEST -> answer.completeExceptionally(unknown(verb));
      case LOSES_REPLY ->
          call.get().whenComplete((reply, failure) -> answer.completeExceptionally(unknown(verb)));
      case HOLDS_REQUEST -> {}
      case HOLDS_REPLY -> {
        CompletableFuture<T> early = call.get().toCompletableFuture();
        synchronized (this) {
          held.add(new Held(verb, () -> pass(() -> early, answer), answer));
        }
      }
      case REPEATS_REQUEST -> {
        CompletableFuture<T> first = call.get().toCompletableFuture();
        call.get().whenComplete((reply, failure) -> pass(() -> first, answer));
      }
    }
    return answer;
  }

  private <T extends @Nullable Object> void pass(
      Supplier<CompletionStage<T>> call, CompletableFuture<T> answer) {
    CompletionStage<T> passed;
    underWay.incrementAndGet();
    try {
      passed = call.get();
    } catch (RuntimeException thrown) {
      underWay.decrementAndGet();
      throw thrown;
    }
    passed.whenComplete(
        (reply, failure) -> {
          underWay.decrementAndGet();
          if (failure != null) {
            answer.completeExceptionally(failure);
          } else {
            answer.complete(reply);
          }
        });
  }

  private static OutcomeUnknownException unknown(Verb verb) {
    return new OutcomeUnknownException("no answer to " + verb + " in time", null);
  }
}
