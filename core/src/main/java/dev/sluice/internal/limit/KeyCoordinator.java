package dev.sluice.internal.limit;

import dev.sluice.internal.call.BatchWork;
import dev.sluice.internal.call.Batcher;
import dev.sluice.internal.call.BoundedCalls;
import dev.sluice.limit.Decision;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRequest;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Coordinates the calls of this process on one key. Callers compete here first: while one request
 * is under way, the others wait, and the next request takes all of them along. In local mode the
 * coordinator also holds permits that were taken in advance, and the store's last refusal.
 *
 * <p>Safe for use by many threads. While its monitor is held it calls the timers and the batcher,
 * which never call back; requests and answers go out without it.
 */
final class KeyCoordinator {
  private static final int MAX_CALLS = 10_000;
  private static final BatchWork.Rules RULES = new BatchWork.Rules(MAX_CALLS, 1, 1, 0);

  /** The number of times that permits expire unused after which a key counts as idle. */
  private static final int IDLE_SLACKS = 4;

  private static final long MAX_MEMO_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A request for permits. */
  private record PendingCall(LimitPolicy.Tiers tiers, long cost) {}

  /** Leased permits, valid for a short time. */
  private static final class Credit {
    final LimitPolicy.Tiers tiers;
    final long size;
    final AtomicLong left;
    final long goodUntil;
    final LimitReply reply;

    Credit(LimitPolicy.Tiers tiers, long size, long goodUntil, LimitReply reply) {
      this.tiers = tiers;
      this.size = size;
      this.left = new AtomicLong(size);
      this.goodUntil = goodUntil;
      this.reply = reply;
    }

    boolean take(long cost) {
      long now = left.get();
      while (now >= cost) {
        if (left.compareAndSet(now, now - cost)) {
          return true;
        }
        now = left.get();
      }
      return false;
    }
  }

  /** A cached refusal of the store, for a cost until a time. */
  private static final class Memo {
    final LimitPolicy.Tiers tiers;
    final long cost;
    final long passesAt;
    final long until;
    final LimitReply reply;
    final LongAdder refused = new LongAdder();

    Memo(LimitPolicy.Tiers tiers, long cost, long passesAt, long until, LimitReply reply) {
      this.tiers = tiers;
      this.cost = cost;
      this.passesAt = passesAt;
      this.until = until;
      this.reply = reply;
    }
  }

  private final LimitCalls calls;
  private final String key;
  private final Consumer<KeyCoordinator> whenRetired;
  private final Batcher<PendingCall, Decision> batcher;
  // guarded by this
  private boolean retired;
  private boolean watched;
  private int forgotten;

  // written by the one request under way
  private long lastSend;
  private long lastSlack;

  /** The tiers for which the store used a newer policy than this process. */
  private LimitPolicy.@Nullable Tiers overruled;

  private @Nullable Memo lastMemo;

  /** Recent numbers of refused and allowed calls: each reply halves the earlier ones. */
  private double away;

  private double through;

  private volatile @Nullable Credit credit;
  private volatile @Nullable Memo memo;

  /**
   * A key without callers.
   *
   * @param whenRetired called once, when this takes no more callers
   */
  KeyCoordinator(LimitCalls calls, String key, Consumer<KeyCoordinator> whenRetired) {
    this.calls = calls;
    this.key = key;
    this.whenRetired = whenRetired;
    LimitStore store = calls.store;
    this.batcher =
        new Batcher<>(new CallBatches(), RULES, store.ticker, store.timers, store.callbacks);
  }

  /** Decides without the store if possible. */
  @Nullable Decision local(LimitPolicy.Tiers tiers, long cost) {
    Credit held = credit;
    Memo word = memo;
    if (held == null && word == null) {
      return null;
    }
    long now = calls.store.ticker.nanos();
    if (held != null && held.tiers == tiers && now - held.goodUntil < 0 && held.take(cost)) {
      return calls.allowed(held.reply, held.left.get(), Decision.Source.LEASE);
    }
    if (word != null && word.tiers == tiers && now - word.until < 0 && cost >= word.cost) {
      word.refused.increment();
      return calls.refused(tiers, word.reply, word.passesAt - now, Decision.Source.MEMO);
    }
    return null;
  }

  /** Requests permits, alone or in a batch; null if this coordinator has retired. */
  @Nullable CompletableFuture<Decision> ask(LimitPolicy.Tiers tiers, long cost) {
    BoundedCalls bounded = calls.bounded;
    long due = // none while the store opens its first connection
        bounded.isJudged() ? calls.store.ticker.nanos() + bounded.deadlineNanos() : Batcher.NEVER;
    return batcher.add(new PendingCall(tiers, cost), due, false);
  }

  /** Makes callers wait for a request that was sent elsewhere, until {@link #release}. */
  void holdBack() {
    batcher.holdBack();
  }

  void release() {
    batcher.release();
  }

  /** Calls of one cost and one policy form a batch. */
  private final class CallBatches implements BatchWork<PendingCall, Decision> {
    @Override
    public boolean fits(PendingCall first, PendingCall next) {
      return next.cost == first.cost && next.tiers == first.tiers;
    }

    @Override
    public CompletionStage<IntFunction<Decision>> send(List<PendingCall> batch) {
      PendingCall first = batch.get(0);
      int asked = batch.size();
      long now = calls.store.ticker.nanos();
      int extra = extra(first, asked, now);
      int before = forgotten();
      LimitRequest request =
          calls.request(LimitRequest.Verb.TAKE, key, first.tiers, first.cost, asked + extra, 0, 0);
      return calls.bounded.call(
          () -> calls.store.backend.decide(request),
          (reply, failure) -> {
            if (reply == null) {
              throw failure == null ? new IllegalStateException("no answer") : failure;
            }
            keep(first.tiers, first.cost, asked, now, reply, before);
            return index -> decision(first, asked, reply, index);
          });
    }

    @Override
    public @Nullable Function<PendingCall, @Nullable Decision> withoutCall() {
      return serveFromCredit();
    }

    @Override
    public Decision failed(PendingCall call, Throwable cause) {
      return calls.fallBack(key, call.tiers, call.cost, cause);
    }

    @Override
    public Throwable late(boolean unknown, @Nullable Throwable last) {
      return calls.bounded.noAnswerInTime();
    }

    @Override
    public void idle() {
      unused();
    }
  }

  /**
   * Takes from the leased permits. A request for those who began to wait meanwhile would know of
   * little demand, and put a small credit in the place of a large one.
   */
  private @Nullable Function<PendingCall, @Nullable Decision> serveFromCredit() {
    Credit held = credit;
    if (held == null || calls.store.ticker.nanos() - held.goodUntil >= 0) {
      return null;
    }
    return call ->
        held.tiers == call.tiers && held.take(call.cost)
            ? calls.allowed(held.reply, held.left.get(), Decision.Source.LEASE)
            : null;
  }

  /** The decision of one call of a batch. */
  private Decision decision(PendingCall call, int asked, LimitReply reply, int index) {
    int passed = Math.min(reply.granted(), asked);
    if (index >= passed) {
      return calls.refused(call.tiers, reply, reply.retry() * 1000, Decision.Source.STORE);
    }
    long later = (passed - 1 - index) * call.cost + reply.granted() - passed;
    return calls.allowed(reply, reply.remaining() + later, Decision.Source.STORE);
  }

  /** The number of permits to lease: the recent use within the time for which they are valid. */
  private int extra(PendingCall call, int batch, long now) {
    long slack = call.tiers.slackMicros * 1000;
    if (slack == 0 || call.cost != 1 || call.tiers == overruled) {
      return 0;
    }
    long used = batch + turnedAway() + handedOut();
    long passed = now - lastSend;
    boolean known = lastSend != 0 && passed < IDLE_SLACKS * slack;
    lastSend = now;
    lastSlack = slack;
    if (!known) {
      return 0; // no other caller came for a while
    }
    double expected = (double) used / Math.max(1, passed) * slack;
    double most = Math.min(MAX_CALLS, Math.min(call.tiers.maxLease, 4 * used + 16));
    return (int) Math.min(expected, most);
  }

  private void keep(
      LimitPolicy.Tiers tiers, long cost, int asked, long sentAt, LimitReply reply, int before) {
    int passed = Math.min(reply.granted(), asked);
    away = away / 2 + asked - passed + turnedAway();
    through = through / 2 + passed + handedOut();
    keepCredit(tiers, reply.granted() - passed, sentAt, reply);
    keepMemo(tiers, cost, reply, before);
  }

  /** Calls allowed without a request since the last one. */
  private long handedOut() {
    Credit last = credit;
    return last == null ? 0 : last.size - Math.max(0, last.left.get());
  }

  /** Calls refused without a request since the last one. */
  private long turnedAway() {
    return lastMemo == null ? 0 : lastMemo.refused.sum();
  }

  private void keepCredit(LimitPolicy.Tiers tiers, long extra, long sentAt, LimitReply reply) {
    if (tiers.slackMicros == 0) {
      return;
    }
    Credit last = credit;
    Credit taken = null;
    if (reply.newerPolicy()) { // how long permits are good under it we do not know
      overruled = tiers;
    } else if (extra > 0) {
      // the window may end before the slack does, and what was taken in it must not be used in the
      // next; both counted from before the store can have decided
      long good =
          1000 * (tiers.hasEdges ? Math.min(tiers.slackMicros, reply.reset()) : tiers.slackMicros);
      taken = new Credit(tiers, extra, sentAt + good - good / 64, reply);
      Credit ending = taken;
      calls.store.timers.at(taken.goodUntil, () -> end(ending));
    }
    if (last == null || taken != null) {
      credit = taken;
    }
    if (last != null && taken != null) {
      giveBack(last);
    }
  }

  /**
   * Caches the time until which nothing passes. Where more callers are refused than admitted, each
   * new permit is used immediately, and fetching each one costs a round trip. So the process waits
   * for the time that permits may be taken in advance, and then takes all that have come. None is
   * lost: that is a hundredth of the time in which a bucket fills.
   */
  private void keepMemo(LimitPolicy.Tiers tiers, long cost, LimitReply reply, int before) {
    lastMemo = null;
    if (!calls.policy().options.isLeasing() || reply.retry() == 0) {
      return;
    }
    boolean pressed = away >= 2 && away > through;
    long now = calls.store.ticker.nanos();
    long nanos = Math.max(reply.retry(), pressed ? tiers.slackMicros : 0) * 1000;
    Memo word = new Memo(tiers, cost, now + nanos, now + Math.min(nanos, MAX_MEMO_NANOS), reply);
    synchronized (this) {
      if (forgotten != before) {
        return; // permits may have come back since the request left
      }
      lastMemo = word;
      memo = word;
    }
    calls.store.timers.at(word.until, () -> end(word));
  }

  private void end(Credit over) {
    if (credit == over) {
      credit = null;
    }
    giveBack(over);
    tidy();
  }

  private void end(Memo over) {
    if (memo == over) {
      memo = null;
    }
    tidy();
  }

  /** No caller waits. The demand for a key is known until the key is idle. */
  private void unused() {
    synchronized (this) {
      if (lastSend != 0 && !watched) {
        watched = true;
        watch();
      }
    }
    tidy();
  }

  private void watch() {
    long slack = Math.max(1000, lastSlack);
    calls.store.timers.in(
        IDLE_SLACKS * slack,
        () -> {
          synchronized (this) {
            if (calls.store.ticker.nanos() - lastSend < IDLE_SLACKS * slack) {
              watch();
              return;
            }
            watched = false;
          }
          tidy();
        });
  }

  private void tidy() {
    synchronized (this) {
      if (retired || watched || credit != null || memo != null || !batcher.retire()) {
        return;
      }
      retired = true;
    }
    whenRetired.accept(this);
  }

  private void giveBack(Credit over) {
    long left = over.left.getAndSet(0);
    if (left > 0) {
      LimitRequest request =
          calls.request(LimitRequest.Verb.GIVE_BACK, key, over.tiers, left, 1, 0, over.reply.at());
      calls.bounded.call(() -> calls.store.backend.decide(request));
    }
  }

  /** Returns the leased permits, and drops cached refusals. */
  void forgetLocal() {
    forgetRefusal();
    Credit held = credit;
    if (held != null) {
      end(held);
    } else {
      tidy();
    }
  }

  synchronized void forgetRefusal() {
    forgotten++;
    memo = null;
  }

  private synchronized int forgotten() {
    return forgotten;
  }

  /** Fails callers without an answer, because the client closes. */
  void close() {
    batcher.close();
    forgetLocal();
  }
}
