package dev.sluice.internal.limit;

import dev.sluice.internal.call.Failures;
import dev.sluice.limit.Decision;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * One key in this process. Callers compete here first: while one request is under way, the others
 * wait, and whoever comes next takes all of them along. In local mode the cell also holds permits
 * that were taken in advance, and the store's last refusal.
 *
 * <p>Safe for use by many threads. While its monitor is held it calls the agenda and the limiter's
 * map of cells, which call nobody back; requests and answers go out without it.
 */
final class KeyCell {
  private static final int MOST_CALLS = 10_000;

  /** After so many times that permits are good without a request, a key counts as idle. */
  private static final int IDLE_SLACKS = 4;

  private static final long MAX_MEMO_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A caller who waits for the store's word. */
  static final class Ask extends CompletableFuture<Decision> {
    final LimitPlan.Tiers tiers;
    final long cost;

    /** When it ends without the store's word; for those that a request must wait for. */
    private long due;

    private boolean decided;

    Ask(LimitPlan.Tiers tiers, long cost) {
      this.tiers = tiers;
      this.cost = cost;
    }

    /** Returns true once: only that caller may complete this, so one decision is counted. */
    private synchronized boolean decide() {
      boolean first = !decided;
      decided = true;
      return first;
    }

    private synchronized boolean isDecided() {
      return decided;
    }
  }

  /** Permits that were taken in advance, good for a short time. */
  private static final class Credit {
    final LimitPlan.Tiers tiers;
    final long size;
    final AtomicLong left;
    final long goodUntil;
    final LimitReply reply;

    Credit(LimitPlan.Tiers tiers, long size, long goodUntil, LimitReply reply) {
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

  /** The store's word that a cost does not pass before a time. */
  private static final class Memo {
    final LimitPlan.Tiers tiers;
    final long cost;
    final long passesAt;
    final long until;
    final LimitReply reply;
    final LongAdder refused = new LongAdder();

    Memo(LimitPlan.Tiers tiers, long cost, long passesAt, long until, LimitReply reply) {
      this.tiers = tiers;
      this.cost = cost;
      this.passesAt = passesAt;
      this.until = until;
      this.reply = reply;
    }
  }

  private final ClientLimiter limiter;
  private final String key;
  // guarded by this
  private final ArrayDeque<Ask> waiting = new ArrayDeque<>(0);

  /** Who had to wait for a request and may have no decision yet, by the end of their time. */
  private final ArrayDeque<Ask> timed = new ArrayDeque<>(0);

  private boolean alarmed;
  private boolean underWay;
  private boolean dead;
  private boolean watched;
  private int forgotten;

  // written by the one request under way
  private long lastSend;

  /** The tiers under which the store went by a newer policy than ours. */
  private LimitPlan.@Nullable Tiers overruled;

  private @Nullable Memo lastMemo;

  /** Callers who were turned away, and who were let through; each answer halves what was before. */
  private double away;

  private double through;

  private volatile @Nullable Credit credit;
  private volatile @Nullable Memo memo;

  KeyCell(ClientLimiter limiter, String key) {
    this.limiter = limiter;
    this.key = key;
  }

  /** Answers without the store if that is possible. */
  @Nullable Decision local(LimitPlan.Tiers tiers, long cost) {
    Credit held = credit;
    Memo word = memo;
    if (held == null && word == null) {
      return null;
    }
    long now = limiter.engine.ticker.nanos();
    if (held != null && held.tiers == tiers && now - held.goodUntil < 0 && held.take(cost)) {
      return limiter.allowed(held.reply, held.left.get(), Decision.Source.LEASE);
    }
    if (word != null && word.tiers == tiers && now - word.until < 0 && cost >= word.cost) {
      word.refused.increment();
      return limiter.refused(tiers, word.reply, word.passesAt - now, Decision.Source.MEMO);
    }
    return null;
  }

  /**
   * Joins those who ask.
   *
   * @return false if this cell is not in use any more and another must be made
   */
  boolean ask(Ask ask) {
    List<Ask> batch;
    synchronized (this) {
      if (dead) {
        return false;
      }
      if (underWay) {
        waiting.add(ask);
        watch(ask);
        return true;
      }
      underWay = true;
      batch = List.of(ask);
    }
    send(batch);
    return true;
  }

  /** Whoever waits behind requests has the same time for an answer as one who need not. */
  private void watch(Ask ask) {
    if (!limiter.line.isJudged()) { // it is sent when the first request has ended
      return;
    }
    ask.due = limiter.engine.ticker.nanos() + limiter.line.deadlineNanos();
    while (!timed.isEmpty() && timed.peek().isDecided()) {
      timed.remove();
    }
    timed.add(ask);
    if (!alarmed) {
      alarmed = true;
      limiter.engine.agenda.at(ask.due, this::endLate);
    }
  }

  private void endLate() {
    List<Ask> late = new ArrayList<>();
    synchronized (this) {
      long now = limiter.engine.ticker.nanos();
      Ask first = timed.peek();
      for (; first != null && (now - first.due >= 0 || first.isDecided()); first = timed.peek()) {
        timed.remove();
        if (first.decide()) {
          late.add(first);
        }
      }
      alarmed = first != null;
      if (first != null) {
        limiter.engine.agenda.at(first.due, this::endLate);
      }
    }
    for (Ask ask : late) {
      limiter.engine.callbacks.execute(
          () -> limiter.fallBack(ask, key, limiter.line.noAnswerInTime()));
    }
  }

  /** The first who waits, past those whose time has run out. */
  private @Nullable Ask firstInLine() {
    while (!waiting.isEmpty() && waiting.peek().isDecided()) {
      waiting.remove();
    }
    return waiting.peek();
  }

  /** Callers of one cost and one policy, in the order they came. */
  private synchronized @Nullable List<Ask> next() {
    Ask first = firstInLine();
    if (first == null) {
      underWay = false;
      if (lastSend == 0) {
        tidy();
      } else if (!watched) {
        watched = true;
        watch();
      }
      return null;
    }
    List<Ask> batch = new ArrayList<>(waiting.size());
    for (Ask ask = first;
        ask != null
            && batch.size() < MOST_CALLS
            && ask.cost == first.cost
            && ask.tiers == first.tiers;
        ask = firstInLine()) {
      batch.add(waiting.remove());
    }
    return batch;
  }

  private void send(List<Ask> batch) {
    LimitPlan.Tiers tiers = batch.get(0).tiers;
    long cost = batch.get(0).cost;
    long now = limiter.engine.ticker.nanos();
    int extra = extra(batch.get(0), batch.size(), now);
    int before = forgotten();
    LimitRequest request =
        limiter.request(LimitRequest.Verb.TAKE, key, tiers, cost, batch.size() + extra, 0, 0);
    CompletableFuture<LimitReply> call =
        limiter.line.call(() -> limiter.engine.backend.decide(request));
    boolean atOnce = call.isDone();
    call.whenComplete(
        (reply, failure) -> {
          if (reply != null) {
            keep(tiers, cost, batch.size(), now, reply, before);
          }
          List<Runnable> served = serveFromCredit();
          List<Ask> more = next();
          if (more != null && atOnce) { // this caller has its answer, and goes
            limiter.engine.callbacks.execute(() -> send(more));
          } else if (more != null) {
            send(more);
          }
          answer(batch, reply, failure); // last: who goes on may ask again, and wait for it
          served.forEach(Runnable::run);
        });
  }

  /**
   * Takes from what came in advance for those who began to wait meanwhile. A request of their own
   * would know of little demand, and put a small credit in the place of a large one.
   *
   * @return what tells them
   */
  private List<Runnable> serveFromCredit() {
    Credit held = credit;
    if (held == null) {
      return List.of();
    }
    List<Runnable> served = new ArrayList<>(0);
    synchronized (this) { // whoever waits began to before the clock is read
      if (limiter.engine.ticker.nanos() - held.goodUntil >= 0) {
        return List.of();
      }
      for (Ask first = firstInLine();
          first != null && first.tiers == held.tiers && held.take(first.cost);
          first = firstInLine()) {
        Ask ask = waiting.remove();
        ask.decide();
        Decision decision = limiter.allowed(held.reply, held.left.get(), Decision.Source.LEASE);
        served.add(() -> ask.complete(decision));
      }
    }
    return served;
  }

  /**
   * How many permits to take in advance: what is used up, lately, within the time they are good.
   */
  private int extra(Ask ask, int batch, long now) {
    long slack = ask.tiers.slackMicros * 1000;
    if (slack == 0 || ask.cost != 1 || ask.tiers == overruled) {
      return 0;
    }
    long used = batch + turnedAway() + handedOut();
    long passed = now - lastSend;
    boolean known = lastSend != 0 && passed < IDLE_SLACKS * slack;
    lastSend = now;
    if (!known) {
      return 0; // nobody else came for a while
    }
    double demand = (double) used / Math.max(1, passed) * slack;
    double most = Math.min(MOST_CALLS, Math.min(ask.tiers.maxLease, 4 * used + 16));
    return (int) Math.min(demand, most);
  }

  private void keep(
      LimitPlan.Tiers tiers, long cost, int asked, long sentAt, LimitReply reply, int before) {
    int passed = Math.min(reply.granted(), asked);
    away = away / 2 + asked - passed + turnedAway();
    through = through / 2 + passed + handedOut();
    keepCredit(tiers, reply.granted() - passed, sentAt, reply);
    keepMemo(tiers, cost, reply, before);
  }

  /** Callers who were let through without a request since the last one. */
  private long handedOut() {
    Credit last = credit;
    return last == null ? 0 : last.size - Math.max(0, last.left.get());
  }

  /** Callers who were refused without a request since the last one. */
  private long turnedAway() {
    return lastMemo == null ? 0 : lastMemo.refused.sum();
  }

  /** Shares out an answer. */
  private void answer(List<Ask> sent, @Nullable LimitReply reply, @Nullable Throwable failure) {
    if (reply == null) {
      Throwable cause = Failures.unwrap(failure == null ? new IllegalStateException() : failure);
      for (Ask ask : sent) {
        if (ask.decide()) {
          limiter.fallBack(ask, key, cause);
        }
      }
      return;
    }
    LimitPlan.Tiers tiers = sent.get(0).tiers;
    long cost = sent.get(0).cost;
    int passed = Math.min(reply.granted(), sent.size());
    long extra = reply.granted() - passed;
    for (int i = 0; i < sent.size(); i++) {
      long later = (passed - 1 - i) * cost + extra;
      Ask ask = sent.get(i);
      if (ask.decide()) {
        ask.complete(
            i < passed
                ? limiter.allowed(reply, reply.remaining() + later, Decision.Source.STORE)
                : limiter.refused(tiers, reply, reply.retry() * 1000, Decision.Source.STORE));
      }
    }
  }

  private void keepCredit(LimitPlan.Tiers tiers, long extra, long sentAt, LimitReply reply) {
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
      limiter.engine.agenda.at(taken.goodUntil, () -> end(ending));
    }
    if (last == null || taken != null) {
      credit = taken;
    }
    if (last != null && taken != null) {
      giveBack(last);
    }
  }

  /**
   * Remembers until when nothing passes. Where more callers are turned away than pass, a permit is
   * gone as soon as it is there, and fetching each by itself costs a trip; so the process then
   * waits for as long as permits are good in advance, and takes those that have come by then
   * together. None is lost: that is a hundredth of the time in which a bucket fills.
   */
  private void keepMemo(LimitPlan.Tiers tiers, long cost, LimitReply reply, int before) {
    lastMemo = null;
    if (!limiter.isLocal() || reply.retry() == 0) {
      return;
    }
    boolean pressed = away >= 2 && away > through;
    long now = limiter.engine.ticker.nanos();
    long nanos = Math.max(reply.retry(), pressed ? tiers.slackMicros : 0) * 1000;
    Memo word = new Memo(tiers, cost, now + nanos, now + Math.min(nanos, MAX_MEMO_NANOS), reply);
    synchronized (this) {
      if (forgotten != before) {
        return; // permits may have come back since the request left
      }
      lastMemo = word;
      memo = word;
    }
    limiter.engine.agenda.at(word.until, () -> end(word));
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

  /** Looks now and then whether the key is idle, so that its demand is known until then. */
  private void watch() {
    long slack = Math.max(1000, limiter.slackMicros(key) * 1000);
    limiter.engine.agenda.in(
        IDLE_SLACKS * slack,
        () -> {
          synchronized (this) {
            if (limiter.engine.ticker.nanos() - lastSend < IDLE_SLACKS * slack) {
              watch();
              return;
            }
            watched = false;
            tidy();
          }
        });
  }

  private synchronized void tidy() {
    if (!underWay && !dead && !watched && credit == null && memo == null) {
      dead = true;
      limiter.drop(key, this);
    }
  }

  private void giveBack(Credit over) {
    long left = over.left.getAndSet(0);
    if (left > 0) {
      LimitRequest request =
          limiter.request(
              LimitRequest.Verb.GIVE_BACK, key, over.tiers, left, 1, 0, over.reply.at());
      limiter.line.call(() -> limiter.engine.backend.decide(request));
    }
  }

  /** Gives back what was taken in advance, and forgets the store's word. */
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

  /** Ends what waits: the client closes. */
  void close() {
    List<Ask> left;
    synchronized (this) {
      left = new ArrayList<>(waiting);
      waiting.clear();
    }
    for (Ask ask : left) {
      if (ask.decide()) {
        ask.completeExceptionally(Failures.closed());
      }
    }
    forgetLocal();
  }
}
