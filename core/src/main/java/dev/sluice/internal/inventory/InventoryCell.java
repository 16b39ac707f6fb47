package dev.sluice.internal.inventory;

import dev.sluice.OutcomeUnknownException;
import dev.sluice.internal.call.Agenda;
import dev.sluice.internal.call.Asking;
import dev.sluice.internal.call.Failures;
import dev.sluice.inventory.ClaimResult;
import dev.sluice.spi.ClaimRequest;
import dev.sluice.spi.ClaimsReply;
import dev.sluice.spi.InventoryBackend;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Everything that this process does about one stock: its claims travel together, and what is sold
 * out is remembered. Safe for use by many threads.
 */
final class InventoryCell {
  /*
   * One who is alone is sent at once. While a call is under way, those who come wait for it, unless
   * they are many: so the busier the stock, the larger the batches. A claim that got no answer is
   * sent again under its own request id, which the store answers as before; that is safe by itself
   * and in whatever company.
   *
   * A store that answers at once, on the caller's thread, would have one caller serve all others by
   * recursion. So whoever finds another one sending leaves him a note and goes, and the sender is
   * relieved by a thread of the callbacks after some rounds.
   */
  private static final int MOST_UNDER_WAY = 4;

  /** As many who wait are sent although a call is under way. */
  private static final int ENOUGH = 64;

  private static final int ROUNDS = 32;
  private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long USED_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** One claim, and who waits for it. */
  private static final class Ask {
    final ClaimRequest request;
    final long deadline;
    final long memoNanos;
    final boolean mayBlock;
    final CompletableFuture<ClaimResult> answer = new CompletableFuture<>();

    // guarded by the cell
    boolean underWay;
    boolean unknown;
    @Nullable Throwable lastFailure;

    Ask(ClaimRequest request, long deadline, long memoNanos, boolean mayBlock) {
      this.request = request;
      this.deadline = deadline;
      this.memoNanos = memoNanos;
      this.mayBlock = mayBlock;
    }
  }

  final String name;
  final SoldOutMemo memo;
  private final InventoryEngine engine;
  private final AtomicInteger senders = new AtomicInteger();
  // guarded by this
  private final Deque<Ask> line = new ArrayDeque<>();
  private final List<List<Ask>> underWay = new ArrayList<>();
  private int failures;
  private boolean paused;
  private Agenda.@Nullable Entry watch;
  private long watchedUntil;
  private final List<InventoryDrain> drains = new ArrayList<>();
  private boolean closed;
  private volatile boolean sweeping; // changed under the lock
  private volatile long lastUse;

  InventoryCell(InventoryEngine engine, String name) {
    this.engine = engine;
    this.name = name;
    this.memo = new SoldOutMemo(engine.backend, name, engine.ticker);
  }

  // ---- claims ----

  /**
   * Sends a claim, together with others.
   *
   * @param request what is claimed
   * @param timeoutNanos most time
   * @param memoNanos for how long "sold out" may be remembered
   * @param mayBlock whether those who wait for the answer may block the thread that brings it
   * @return the answer
   */
  CompletableFuture<ClaimResult> claim(
      ClaimRequest request, long timeoutNanos, long memoNanos, boolean mayBlock) {
    Ask ask = new Ask(request, engine.ticker.nanos() + timeoutNanos, memoNanos, mayBlock);
    touch();
    synchronized (this) {
      if (closed) {
        throw Failures.closed();
      }
      line.add(ask);
      if (watch == null || ask.deadline - watchedUntil < 0) {
        watchUntil(ask.deadline);
      }
    }
    sendAll();
    return ask.answer;
  }

  private void sendAll() {
    if (senders.getAndIncrement() == 0) {
      sendRounds();
    }
  }

  private void sendRounds() {
    int seen = senders.get();
    for (int rounds = 0; ; ) {
      for (List<Ask> batch = nextBatch(); batch != null; batch = nextBatch()) {
        send(batch);
        if (++rounds >= ROUNDS) {
          later(this::sendRounds);
          return;
        }
      }
      seen = senders.addAndGet(-seen);
      if (seen == 0) {
        return;
      }
    }
  }

  private synchronized @Nullable List<Ask> nextBatch() {
    int calls = underWay.size();
    boolean goes = calls == 0 || calls < MOST_UNDER_WAY && line.size() >= ENOUGH;
    if (paused || closed || !goes) {
      return null;
    }
    List<Ask> batch = new ArrayList<>(Math.min(line.size(), InventoryBackend.MAX_BATCH));
    while (!line.isEmpty() && batch.size() < InventoryBackend.MAX_BATCH) {
      Ask ask = line.remove();
      if (!ask.answer.isDone()) {
        ask.underWay = true;
        batch.add(ask);
      }
    }
    if (batch.isEmpty()) {
      return null;
    }
    underWay.add(batch);
    return batch;
  }

  private void send(List<Ask> batch) {
    List<ClaimRequest> requests = new ArrayList<>(batch.size());
    for (Ask ask : batch) {
      requests.add(ask.request);
    }
    Failures.call(() -> engine.backend.claim(name, requests))
        .whenComplete((reply, failure) -> answered(batch, reply, failure));
  }

  private void answered(List<Ask> batch, @Nullable ClaimsReply reply, @Nullable Throwable failure) {
    if (reply == null) {
      failed(batch, Failures.unwrap(failure == null ? new NullPointerException("reply") : failure));
      return;
    }
    synchronized (this) {
      underWay.remove(batch);
      failures = 0;
    }
    remember(batch, reply);
    sendAll(); // the next ones need not wait until these have been told
    List<Runnable> news = new ArrayList<>(0);
    for (int i = 0; i < batch.size(); i++) {
      Ask ask = batch.get(i);
      ClaimResult result = reply.results().get(i);
      if (ask.mayBlock) {
        news.add(() -> ask.answer.complete(result));
      } else {
        ask.answer.complete(result);
      }
    }
    tell(news.iterator());
  }

  /** Each on its own, one thread waking the next: what follows one answer may wait for another. */
  private void tell(Iterator<Runnable> news) {
    if (news.hasNext()) {
      later(
          () -> {
            Runnable first = news.next();
            tell(news);
            first.run();
          });
    }
  }

  private void later(Runnable task) {
    try {
      engine.callbacks.execute(task);
    } catch (RejectedExecutionException e) {
      task.run(); // late and here is better than never
    }
  }

  private void remember(List<Ask> batch, ClaimsReply reply) {
    long soldOutFor = 0;
    boolean other = false;
    boolean accepted = false;
    for (int i = 0; i < batch.size(); i++) {
      switch (reply.results().get(i).outcome()) {
        case SOLD_OUT -> soldOutFor = Math.max(soldOutFor, batch.get(i).memoNanos);
        case ACCEPTED -> accepted = true;
        case CLOSED, NOT_LOADED -> other = true;
        case ALREADY_CLAIMED -> {}
      }
    }
    if (accepted) {
      memo.forget(); // one more who must not be told so
    } else if (other) {
      memo.clear();
    }
    if (soldOutFor > 0) {
      memo.learn(soldOutFor);
    }
    if (accepted) {
      wakeDrains();
    }
  }

  private void failed(List<Ask> batch, Throwable cause) {
    List<Ask> over = new ArrayList<>();
    synchronized (this) {
      underWay.remove(batch);
      boolean passes = Failures.isPassing(cause);
      for (int i = batch.size() - 1; i >= 0; i--) {
        Ask ask = batch.get(i);
        ask.underWay = false;
        ask.unknown |= cause instanceof OutcomeUnknownException;
        ask.lastFailure = cause;
        if (passes && !closed) {
          line.addFirst(ask);
        } else {
          over.add(ask);
        }
      }
      failures++;
      if (failures > 1 && passes && !paused) {
        paused = true;
        engine.agenda.in(Asking.pause(failures, engine::jitter), this::goOn);
      }
    }
    over.forEach(ask -> fail(ask, cause));
    sendAll();
  }

  private void goOn() {
    synchronized (this) {
      paused = false;
    }
    sendAll();
  }

  private void fail(Ask ask, Throwable cause) {
    if (ask.mayBlock) {
      later(() -> ask.answer.completeExceptionally(cause));
    } else {
      ask.answer.completeExceptionally(cause);
    }
  }

  /** One timer for all who wait: it goes off when the first of them may have waited enough. */
  private void watchUntil(long deadline) {
    if (watch != null) {
      watch.cancel();
    }
    watchedUntil = deadline;
    watch = engine.agenda.at(deadline, this::overdue);
  }

  private void overdue() {
    long now = engine.ticker.nanos();
    List<Runnable> news = new ArrayList<>();
    synchronized (this) {
      watch = null;
      long next = now + Long.MAX_VALUE / 2;
      List<Ask> waiting = new ArrayList<>(line);
      underWay.forEach(waiting::addAll);
      for (Ask ask : waiting) {
        if (ask.answer.isDone()) {
          continue;
        }
        if (ask.deadline - now > 0) {
          next = ask.deadline - next < 0 ? ask.deadline : next;
        } else {
          Throwable why = Asking.noAnswer(ask.unknown || ask.underWay, ask.lastFailure);
          news.add(() -> fail(ask, why));
        }
      }
      line.removeIf(ask -> ask.deadline - now <= 0);
      if (next != now + Long.MAX_VALUE / 2) {
        watchUntil(next);
      }
    }
    news.forEach(Runnable::run);
  }

  // ---- returns ----

  /** The stock is used: claims whose hold is over are looked for, from time to time. */
  void touch() {
    lastUse = engine.ticker.nanos();
    if (!sweeping && beginsToSweep()) {
      engine.keep(this);
      sweepLater();
    }
  }

  private synchronized boolean beginsToSweep() {
    boolean begins = !sweeping && !closed;
    sweeping = true;
    return begins;
  }

  private void sweepLater() {
    engine.agenda.in(SWEEP_NANOS * 3 / 4 + engine.jitter(SWEEP_NANOS / 2), this::sweep);
  }

  private void sweep() {
    synchronized (this) {
      boolean used = engine.ticker.nanos() - lastUse < USED_NANOS || !drains.isEmpty();
      if (closed || !used && line.isEmpty() && underWay.isEmpty()) {
        sweeping = false;
        memo.forget();
        engine.forget(this); // one who still has it may go on with it
        return;
      }
    }
    Failures.call(() -> engine.backend.expire(name, InventoryBackend.MAX_BATCH))
        .whenComplete(
            (returned, failure) -> {
              if (returned != null && returned > 0) {
                memo.clear();
              }
              sweepLater(); // a store that does not answer is asked again no more often
            });
  }

  // ---- drains ----

  void add(InventoryDrain drain) {
    synchronized (this) {
      if (closed) {
        throw Failures.closed();
      }
      drains.add(drain);
    }
    touch();
  }

  synchronized void remove(InventoryDrain drain) {
    drains.remove(drain);
  }

  private void wakeDrains() {
    List<InventoryDrain> here;
    synchronized (this) {
      if (drains.isEmpty()) {
        return;
      }
      here = List.copyOf(drains);
    }
    here.forEach(InventoryDrain::wake);
  }

  // ---- end ----

  /** All who wait for an answer fail; drains end once what they write is written. */
  void close() {
    List<Ask> waiting = new ArrayList<>();
    List<InventoryDrain> open;
    synchronized (this) {
      closed = true;
      waiting.addAll(line);
      line.clear();
      underWay.forEach(waiting::addAll);
      open = List.copyOf(drains);
    }
    waiting.forEach(ask -> fail(ask, Failures.closed()));
    open.forEach(InventoryDrain::closeSoon);
    open.forEach(InventoryDrain::awaitEnd);
  }
}
