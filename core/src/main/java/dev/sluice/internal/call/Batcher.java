package dev.sluice.internal.call;

import static java.util.Objects.requireNonNull;

import dev.sluice.OutcomeUnknownException;
import dev.sluice.spi.Ticker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Combines the requests of many callers into few calls to a store. A lone request is sent
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

  /** The due time of a request without one. */
  public static final long NEVER = Long.MAX_VALUE;

  private final class Item extends CompletableFuture<R> implements Deadlines.Timed {
    final Q request;
    final long due;
    final boolean mayBlock;
    // guarded by the batcher
    @Nullable Batch batch;
    int index;
    private boolean over;

    /** The result, if no call was needed. */
    @Nullable R answer;

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
      Delivery delivery;
      synchronized (Batcher.this) {
        if (!end()) {
          return;
        }
        Batch with = batch;
        boolean unknown = with != null && (with.unknown || with.underWay);
        Throwable why = work.late(unknown, with == null ? null : with.lastFailure);
        delivery = new Delivery(List.of(this), null, why);
        firstWaiting(); // removes those that are over
      }
      later(delivery::deliver); // not on the thread of the timer: what follows may take long
    }

    boolean isOver() {
      return over || isDone();
    }

    /** Returns true once, to the caller that delivers its result. */
    boolean end() {
      boolean first = !isOver();
      over = true;
      return first;
    }

    void deliver(Delivery delivery) {
      if (due != NEVER) {
        deadlines.remove(this);
      }
      try {
        R own = answer;
        complete(own != null ? own : delivery.of(this));
      } catch (Throwable e) {
        completeExceptionally(e);
      }
    }
  }

  /** Requests that are sent together. */
  private final class Batch {
    final List<Item> items = new ArrayList<>(Math.min(waiting.size(), rules.maxBatch()));
    final long firstSent = ticker.nanos();
    boolean underWay;
    boolean unknown;
    @Nullable Throwable lastFailure;

    /** Called by the sender, which alone changes the items while the batch is under way. */
    List<Q> requests() {
      List<Q> requests = new ArrayList<>(items.size());
      for (Item item : items) {
        item.index = requests.size();
        requests.add(item.request);
      }
      return requests;
    }
  }

  /** Results for requests, delivered outside the monitor. */
  private final class Delivery {
    final List<Item> items;
    private final @Nullable IntFunction<R> answers;
    private final @Nullable Throwable failure;

    Delivery(List<Item> items, @Nullable IntFunction<R> answers, @Nullable Throwable failure) {
      this.items = items;
      this.answers = answers;
      this.failure = failure;
    }

    R of(Item item) throws Throwable {
      return answers == null
          ? work.failed(item.request, requireNonNull(failure))
          : answers.apply(item.index);
    }

    void deliver() {
      int mayBlock = 0;
      for (Item item : items) {
        if (item.mayBlock) {
          mayBlock++;
        } else {
          item.deliver(this);
        }
      }
      if (mayBlock > 0) {
        inTurn(items.stream().filter(item -> item.mayBlock).iterator());
      }
    }

    /** Completes each future in a separate task, because callers may wait for each other. */
    private void inTurn(Iterator<Item> rest) {
      if (rest.hasNext()) {
        later(
            () -> {
              Item first = rest.next();
              inTurn(rest);
              first.deliver(this);
            });
      }
    }
  }

  private final BatchWork<Q, R> work;
  private final BatchWork.Rules rules;
  private final Ticker ticker;
  private final TimerQueue timers;
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

  /** The thread that has taken a batch and sends it. */
  private @Nullable Thread sender;

  /** The replies that arrived on the sending thread. */
  private final List<Delivery> deferred = new ArrayList<>(1);

  /**
   * A batcher without requests.
   *
   * @param work sends and answers them
   * @param rules of sending
   * @param ticker monotonic clock
   * @param timers of the same clock
   * @param callbacks runs what may block or take long
   */
  public Batcher(
      BatchWork<Q, R> work,
      BatchWork.Rules rules,
      Ticker ticker,
      TimerQueue timers,
      Executor callbacks) {
    this.work = work;
    this.rules = rules;
    this.ticker = ticker;
    this.timers = timers;
    this.callbacks = callbacks;
    this.deadlines = new Deadlines<>(ticker, timers);
  }

  /**
   * Sends a request, alone or in a batch.
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
    Batch batch;
    synchronized (this) {
      if (retired) {
        deadlines.remove(item);
        return null;
      }
      waiting.add(item);
      batch = take();
    }
    if (batch != null) {
      send(batch);
    }
    return item;
  }

  /** Makes requests wait for a call made elsewhere, until {@link #release}. */
  public synchronized void holdBack() {
    otherCalls++;
  }

  /** Called when a call made elsewhere has ended. */
  public void release() {
    synchronized (this) {
      otherCalls--;
    }
    sendAll();
  }

  // ---- sending ----

  private void sendAll() {
    Batch batch = takeOrReportIdle();
    if (batch != null) {
      send(batch);
    }
  }

  private @Nullable Batch takeOrReportIdle() {
    Batch batch;
    boolean idle;
    synchronized (this) {
      batch = take();
      idle = isIdle();
    }
    if (idle) {
      work.idle();
    }
    return batch;
  }

  /** Sends a batch that this thread has taken, and the requests that queued meanwhile. */
  private void send(Batch first) {
    Batch batch = first;
    for (int rounds = 1; batch != null; rounds++) {
      Batch sent = batch;
      Failures.call(() -> work.send(sent.requests()))
          .whenComplete((answers, failure) -> answered(sent, answers, failure));
      List<Delivery> deliveries;
      boolean idle;
      synchronized (this) {
        sender = null;
        deliveries = deferred.isEmpty() ? List.of() : List.copyOf(deferred);
        deferred.clear();
        batch = deliveries.isEmpty() ? take() : null;
        idle = isIdle();
      }
      if (idle) {
        work.idle();
      }
      deliveries.forEach(Delivery::deliver);
      if (batch == null && !deliveries.isEmpty() && !idle) {
        if (rounds < MAX_ROUNDS) {
          batch = takeOrReportIdle();
        } else {
          later(this::sendAll);
        }
      }
    }
  }

  /** The next batch; the calling thread must send it. Null while another thread sends. */
  private @Nullable Batch take() {
    int calls = underWay.size() + otherCalls;
    if (sender != null || paused || retired || calls >= rules.maxCalls()) {
      return null;
    }
    Batch batch = nextFailed();
    if (batch == null && (calls == 0 || waiting.size() >= rules.enough())) {
      batch = gather();
    }
    if (batch != null) {
      sender = Thread.currentThread();
      batch.underWay = true;
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
            && batch.items.size() < rules.maxBatch()
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
    Delivery delivery;
    Batch next;
    boolean idle;
    synchronized (this) {
      underWay.remove(batch);
      batch.underWay = false;
      delivery = delivery(batch, answers, failure);
      delivery.items.removeIf(item -> !item.end());
      answerWaiting(delivery.items);
      if (sender == Thread.currentThread()) {
        deferred.add(delivery);
        return;
      }
      next = take();
      idle = isIdle();
    }
    if (next != null) {
      send(next); // it need not wait for what follows these answers
    } else if (idle) {
      work.idle();
    }
    delivery.deliver();
  }

  private Delivery delivery(
      Batch batch, @Nullable IntFunction<R> answers, @Nullable Throwable failure) {
    if (answers != null) {
      failures = 0;
      return new Delivery(batch.items, answers, null);
    }
    Throwable cause =
        Failures.unwrap(failure == null ? new NullPointerException("no answer") : failure);
    return isRepeated(batch, cause)
        ? new Delivery(new ArrayList<>(0), null, cause)
        : new Delivery(batch.items, null, batch.unknown ? RetryingCall.afterUnknown(cause) : cause);
  }

  /** Whether a failed batch is sent again, after a pause unless it is the first failure. */
  private boolean isRepeated(Batch batch, Throwable cause) {
    batch.unknown |= cause instanceof OutcomeUnknownException;
    batch.lastFailure = cause;
    boolean repeated =
        Failures.isPassing(cause)
            && !retired
            && ticker.nanos() - batch.firstSent < rules.repeatNanos();
    failures = repeated ? failures + 1 : 0;
    if (repeated) {
      failed.add(batch);
      if (failures > 1 && !paused) {
        paused = true;
        timers.in(RetryingCall.pause(failures, Batcher::jitter), this::endPause);
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

  private void answerWaiting(List<Item> answered) {
    Function<Q, @Nullable R> known = work.withoutCall();
    for (Item first = firstWaiting(); known != null && first != null; first = firstWaiting()) {
      first.answer = known.apply(first.request);
      if (first.answer == null) {
        return;
      }
      first.end();
      answered.add(waiting.remove());
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
   * Refuses further requests, if nothing is queued.
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

  /** Refuses further requests; those without an answer fail with {@link Failures#closed}. */
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
    new Delivery(open, null, Failures.closed()).deliver();
  }
}
