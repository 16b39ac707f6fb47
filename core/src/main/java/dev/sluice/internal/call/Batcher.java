package dev.sluice.internal.call;

import dev.sluice.OutcomeUnknownException;
import dev.sluice.spi.Ticker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Gathers the requests of many callers into few calls to a store. A lone request is sent
 * immediately. Requests that arrive while a call is under way wait, and the next call takes them
 * along. Safe for use by many threads.
 *
 * @param <Q> a request of one caller
 * @param <R> its answer
 */
public final class Batcher<Q, R> {
  /*
   * State changes under the monitor; calls and answers happen outside it. One thread sends at a
   * time. Others add their request and return, and the sender looks again after its call. So a store
   * that answers on the calling thread is served by a loop and not by recursion. After MAX_ROUNDS
   * calls the executor of the callbacks continues the loop, which bounds the work that one caller
   * does for others.
   *
   * An answer that arrives on the sending thread is delivered when that thread sends no more. What
   * follows an answer may therefore make a request and wait for it.
   *
   * A failed batch is repeated as it is: a store that recognizes a repeated call by a number must
   * receive the same call. Only requests that are over by then are left out.
   */
  private static final int MAX_ROUNDS = 32;

  /** The due time of a request that has none. */
  public static final long NEVER = Long.MAX_VALUE;

  /**
   * How many requests travel together, and whether failed calls are repeated.
   *
   * @param maxBatch most requests in one call
   * @param maxCalls most calls under way
   * @param enough so many waiting requests are sent although a call is under way
   * @param repeatNanos how long after its first call a batch may be sent again; 0: never
   */
  public record Rules(int maxBatch, int maxCalls, int enough, long repeatNanos) {}

  private final class Item extends CompletableFuture<R> implements Deadlines.Timed {
    final Q request;
    final long due;
    final boolean mayBlock;
    // guarded by the batcher
    @Nullable Batch batch;
    int index;
    private boolean over;

    Item(Q request, long due, boolean mayBlock) {
      this.request = request;
      this.due = due;
      this.mayBlock = mayBlock;
    }

    @Override
    public long due() {
      return due;
    }

    @Override
    public void late() {
      Throwable why;
      synchronized (Batcher.this) {
        if (!end()) {
          return;
        }
        Batch with = batch;
        why =
            with == null
                ? work.late(false, null)
                : work.late(with.unknown || with.underWay, with.lastFailure);
        firstWaiting(); // removes those that are over
      }
      later(() -> fail(why)); // not on the thread of the timer: what follows may take long
    }

    boolean isOver() {
      return over || isDone();
    }

    /** Returns true once: only that caller delivers an outcome. */
    boolean end() {
      boolean first = !isOver();
      over = true;
      return first;
    }

    void deliver(@Nullable IntFunction<R> answers, Throwable cause) {
      if (due != NEVER) {
        deadlines.remove(this);
      }
      try {
        complete(answers == null ? work.failed(request, cause) : answers.apply(index));
      } catch (Throwable e) {
        completeExceptionally(e);
      }
    }

    void fail(Throwable cause) {
      deliver(null, cause);
    }
  }

  /** Requests that travel together. */
  private final class Batch {
    final List<Item> items = new ArrayList<>();
    final long firstSent = ticker.nanos();
    boolean underWay;
    boolean unknown;
    @Nullable Throwable lastFailure;

    List<Q> send() {
      underWay = true;
      List<Q> requests = new ArrayList<>(items.size());
      for (Item item : items) {
        item.index = requests.size();
        requests.add(item.request);
      }
      return requests;
    }
  }

  private final BatchWork<Q, R> work;
  private final Rules rules;
  private final Ticker ticker;
  private final Agenda agenda;
  private final Executor callbacks;
  private final Deadlines<Item> deadlines;
  // guarded by this
  private final Deque<Item> waiting = new ArrayDeque<>(0);
  private final Deque<Batch> failed = new ArrayDeque<>(0);
  private final List<Batch> underWay = new ArrayList<>(1);

  private int otherCalls;
  private int failures;
  private boolean paused;
  private boolean retired;

  /** The thread inside {@link BatchWork#send}. */
  private @Nullable Thread sender;

  /** Answers that arrived on the sender. */
  private final List<Runnable> deferred = new ArrayList<>(1);

  /**
   * A batcher without requests.
   *
   * @param work sends and answers them
   * @param rules of sending
   * @param ticker monotonic clock
   * @param agenda of the same clock
   * @param callbacks runs what may block or take long
   */
  public Batcher(
      BatchWork<Q, R> work, Rules rules, Ticker ticker, Agenda agenda, Executor callbacks) {
    this.work = work;
    this.rules = rules;
    this.ticker = ticker;
    this.agenda = agenda;
    this.callbacks = callbacks;
    this.deadlines = new Deadlines<>(ticker, agenda);
  }

  /**
   * Sends a request, alone or with others.
   *
   * @param due by the ticker, when the request fails if there is no answer; or {@link #NEVER}
   * @param mayBlock whether code that follows the answer may block the thread that delivers it
   * @return the answer; null if this batcher is retired or closed
   */
  public @Nullable CompletableFuture<R> add(Q request, long due, boolean mayBlock) {
    Item item = new Item(request, due, mayBlock);
    if (due != NEVER) {
      deadlines.add(item);
    }
    synchronized (this) {
      if (retired) {
        deadlines.remove(item);
        return null;
      }
      waiting.add(item);
    }
    sendAll();
    return item;
  }

  /** Has requests wait for a call that is made elsewhere, until {@link #release}. */
  public synchronized void holdBack() {
    otherCalls++;
  }

  /** A call that was made elsewhere has ended. */
  public void release() {
    synchronized (this) {
      otherCalls--;
    }
    sendAll();
  }

  // ---- sending ----

  private void sendAll() {
    for (int rounds = 0; rounds < MAX_ROUNDS; rounds++) {
      Batch batch;
      List<Q> requests = List.of();
      boolean idle = false;
      synchronized (this) {
        if (sender != null) {
          return; // it looks again
        }
        batch = next();
        if (batch == null) {
          idle = isIdle();
        } else {
          sender = Thread.currentThread();
          requests = batch.send();
        }
      }
      if (batch == null) {
        if (idle) {
          work.idle();
        }
        return;
      }
      send(batch, requests);
    }
    later(this::sendAll);
  }

  private void send(Batch batch, List<Q> requests) {
    Failures.call(() -> work.send(requests))
        .whenComplete((answers, failure) -> answered(batch, answers, failure));
    List<Runnable> news;
    synchronized (this) {
      sender = null;
      news = deferred.isEmpty() ? List.of() : List.copyOf(deferred);
      deferred.clear();
    }
    news.forEach(Runnable::run);
  }

  private @Nullable Batch next() {
    int calls = underWay.size() + otherCalls;
    if (paused || retired || calls >= rules.maxCalls) {
      return null;
    }
    Batch batch = nextFailed();
    if (batch == null && (calls == 0 || waiting.size() >= rules.enough)) {
      batch = gather();
    }
    if (batch != null) {
      underWay.add(batch);
    }
    return batch;
  }

  private @Nullable Batch nextFailed() {
    while (!failed.isEmpty()) {
      Batch batch = failed.remove();
      batch.items.removeIf(Item::isOver);
      if (!batch.items.isEmpty()) {
        return batch;
      }
    }
    return null;
  }

  private @Nullable Batch gather() {
    Item first = firstWaiting();
    if (first == null) {
      return null;
    }
    Batch batch = new Batch();
    for (Item item = first;
        item != null
            && batch.items.size() < rules.maxBatch
            && (item == first || work.fits(first.request, item.request));
        item = firstWaiting()) {
      item.batch = batch;
      batch.items.add(waiting.remove());
    }
    return batch;
  }

  private @Nullable Item firstWaiting() {
    while (!waiting.isEmpty() && waiting.peek().isOver()) {
      waiting.remove();
    }
    return waiting.peek();
  }

  // ---- answers ----

  private void answered(
      Batch batch, @Nullable IntFunction<R> answers, @Nullable Throwable failure) {
    Throwable cause =
        Failures.unwrap(failure == null ? new NullPointerException("no answer") : failure);
    List<Runnable> news = new ArrayList<>(1);
    synchronized (this) {
      underWay.remove(batch);
      batch.underWay = false;
      if (answers != null) {
        failures = 0;
      }
      if (answers != null || !isRepeated(batch, cause)) {
        Throwable last = batch.unknown ? Asking.afterUnknown(cause) : cause;
        batch.items.removeIf(item -> !item.end());
        news.add(() -> deliver(batch.items, answers, last));
      }
      answerWaiting(news);
      if (sender == Thread.currentThread()) {
        deferred.addAll(news);
        return;
      }
    }
    sendAll(); // the next requests need not wait for what follows these answers
    news.forEach(Runnable::run);
  }

  /** Whether a failed batch is sent again, after a pause unless it is the first failure. */
  private boolean isRepeated(Batch batch, Throwable cause) {
    batch.unknown |= cause instanceof OutcomeUnknownException;
    batch.lastFailure = cause;
    boolean repeated =
        Failures.isPassing(cause)
            && !retired
            && ticker.nanos() - batch.firstSent < rules.repeatNanos;
    failures = repeated ? failures + 1 : 0;
    if (repeated) {
      failed.add(batch);
      if (failures > 1 && !paused) {
        paused = true;
        agenda.in(Asking.pause(failures, Batcher::jitter), this::endPause);
      }
    }
    return repeated;
  }

  private static long jitter(long boundNanos) {
    return ThreadLocalRandom.current().nextLong(Math.max(1, boundNanos));
  }

  private void endPause() {
    synchronized (this) {
      paused = false;
    }
    sendAll();
  }

  private void answerWaiting(List<Runnable> news) {
    Function<Q, @Nullable R> known = work.withoutCall();
    for (Item first = firstWaiting(); known != null && first != null; first = firstWaiting()) {
      R answer = known.apply(first.request);
      if (answer == null) {
        return;
      }
      Item item = waiting.remove();
      item.end();
      news.add(() -> deliver(List.of(item), index -> answer, Failures.closed()));
    }
  }

  private void deliver(List<Item> items, @Nullable IntFunction<R> answers, Throwable cause) {
    List<Item> mayBlock = new ArrayList<>(0);
    for (Item item : items) {
      if (item.mayBlock) {
        mayBlock.add(item);
      } else {
        item.deliver(answers, cause);
      }
    }
    deliverInTurn(mayBlock, 0, answers, cause);
  }

  /** Each on its own, one thread starting the next: what follows one may wait for another. */
  private void deliverInTurn(
      List<Item> items, int from, @Nullable IntFunction<R> answers, Throwable cause) {
    if (from < items.size()) {
      later(
          () -> {
            deliverInTurn(items, from + 1, answers, cause);
            items.get(from).deliver(answers, cause);
          });
    }
  }

  private void later(Runnable task) {
    try {
      callbacks.execute(task);
    } catch (RejectedExecutionException e) {
      task.run(); // the executor is shut down: better on this thread than never
    }
  }

  // ---- end ----

  private boolean isIdle() {
    return firstWaiting() == null && failed.isEmpty() && underWay.isEmpty() && otherCalls == 0;
  }

  /**
   * Takes no more requests, if there is nothing to do.
   *
   * @return whether this call retired it
   */
  public synchronized boolean retire() {
    boolean retires = !retired && isIdle();
    retired |= retires;
    return retires;
  }

  /** Whether no request waits and no call is under way. */
  public synchronized boolean isUnused() {
    return isIdle();
  }

  /** Takes no more requests; those without an answer fail with {@link Failures#closed}. */
  public void close() {
    List<Item> open = new ArrayList<>();
    synchronized (this) {
      retired = true;
      open.addAll(waiting);
      failed.forEach(batch -> open.addAll(batch.items));
      underWay.forEach(batch -> open.addAll(batch.items));
      waiting.clear();
      failed.clear();
      open.removeIf(item -> !item.end());
    }
    deliver(open, null, Failures.closed());
  }
}
