package dev.sluice.internal.inventory;

import dev.sluice.internal.call.Failures;
import dev.sluice.inventory.Claim;
import dev.sluice.inventory.ClaimConsumer;
import dev.sluice.inventory.DrainBatch;
import dev.sluice.inventory.DrainHandler;
import dev.sluice.inventory.DrainOptions;
import dev.sluice.inventory.DrainStats;
import dev.sluice.spi.ClaimMark;
import dev.sluice.spi.ClaimRow;
import dev.sluice.spi.InventoryBackend;
import dev.sluice.spi.InventoryBackend.Verdict;
import dev.sluice.text.Names;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One consumer of a stock's claims: a thread that takes claims, has them written, and settles them.
 */
final class InventoryDrain implements ClaimConsumer {
  /*
   * A batch that the handler could not write is written claim by claim. Those that fail again
   * wait, each for longer and longer, while new claims go on: so one that cannot be written delays
   * no other. Only successful writes of others distinguish such a claim from a ledger that is out
   * of order. When claim after claim fails the ledger is taken to be the cause, and everything
   * waits; nothing new is taken while claims wait that were not tried alone.
   *
   * A claim that waits here is still ours at the store, until its time there is over. Then
   * another consumer gets it as well, or this one again: the ledger recognises it by the claim's
   * id.
   */
  private static final long MIN_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long IDLE_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long MAX_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final long WARNING_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** The number of consecutive failures that indicates an outage. */
  private static final int OUTAGE = 3;

  /** The most claims that wait to be written one by one while new ones are taken. */
  private static final int MAX_SINGLE_WRITES = 1000;

  private static final int MAX_REASON = 200;

  /** A claim to write separately. */
  private static final class Alone {
    final Claim claim;
    int failures;
    long writtenAtFirst;
    long notBefore;

    Alone(Claim claim) {
      this.claim = claim;
    }
  }

  private final InventoryStore store;
  private final String name;
  private final SoldOutMemo memo;
  private final Consumer<InventoryDrain> whenEnded;
  private final DrainOptions options;
  private final DrainHandler handler;
  private final String consumer;
  private final Thread thread;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final AtomicLong written = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private volatile boolean closing;
  private volatile boolean woken;

  // of the thread
  private final Deque<Alone> alone = new ArrayDeque<>();
  private int untried;
  private long idlePause = MIN_PAUSE_NANOS;
  private long ledgerPause = IDLE_PAUSE_NANOS;
  private long ledgerFrom;
  private long warnFrom;
  private boolean storeFails;

  /**
   * A drain that was not started.
   *
   * @param memo of the stock
   * @param whenEnded called when the drain takes no more
   */
  InventoryDrain(
      InventoryStore store,
      String name,
      SoldOutMemo memo,
      Consumer<InventoryDrain> whenEnded,
      DrainOptions options,
      DrainHandler handler) {
    this.store = store;
    this.name = name;
    this.memo = memo;
    this.whenEnded = whenEnded;
    this.options = options;
    this.handler = handler;
    this.consumer = store.newConsumer();
    this.ledgerFrom = store.ticker.nanos();
    this.warnFrom = ledgerFrom;
    this.thread = new Thread(this::run, "sluice-drain-" + name);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  @Override
  public DrainStats stats() {
    return new DrainStats(written.get(), refused.get(), failed.get());
  }

  /** Claims are available. */
  void wake() {
    woken = true;
    LockSupport.unpark(thread);
  }

  void closeSoon() {
    closing = true;
    LockSupport.unpark(thread);
  }

  @Override
  public void close() {
    closeSoon();
    boolean interrupted = false;
    while (Thread.currentThread() != thread && ended.getCount() > 0) {
      try {
        ended.await();
      } catch (InterruptedException e) {
        interrupted = true; // it says that it waits; the flag is for the caller
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for the end, with a bound. */
  void awaitEnd() {
    try {
      if (Thread.currentThread() != thread && !ended.await(PATIENCE_NANOS, TimeUnit.NANOSECONDS)) {
        InventoryStore.LOG.log(
            System.Logger.Level.WARNING,
            "stock "
                + Names.quoted(name)
                + ": a drain is still writing; not waited for any longer");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // ---- the loop ----

  private void run() {
    try {
      while (!closing) {
        woken = false;
        boolean busy = tryAlone();
        busy |= !closing && untried == 0 && alone.size() < MAX_SINGLE_WRITES && takeAndWrite();
        if (busy) {
          idlePause = MIN_PAUSE_NANOS;
        } else if (!woken) {
          pause(idlePause);
          idlePause = woken ? MIN_PAUSE_NANOS : Math.min(IDLE_PAUSE_NANOS, idlePause * 2);
        }
      }
    } catch (RuntimeException | Error e) {
      InventoryStore.LOG.log(
          System.Logger.Level.ERROR, "stock " + Names.quoted(name) + ": a drain has died", e);
      throw e;
    } finally {
      whenEnded.accept(this);
      ended.countDown();
    }
  }

  private void pause(long nanos) {
    if (!closing) {
      store.scheduler.park(this, nanos);
      if (Thread.interrupted()) {
        closing = true; // an interrupt of the handler's thread closes the consumer
      }
    }
  }

  /** Takes and writes one batch. Returns whether more claims are likely to be waiting. */
  private boolean takeAndWrite() {
    if (store.ticker.nanos() - ledgerFrom < 0) {
      return false;
    }
    List<Claim> claims = take();
    if (claims.isEmpty()) {
      return false;
    }
    idlePause = MIN_PAUSE_NANOS;
    Batch batch = new Batch(claims);
    if (write(batch)) {
      settle(batch);
      return claims.size() >= options.batch();
    }
    untried += claims.size();
    if (claims.size() == 1) { // it was tried alone just now
      failed(new Alone(claims.get(0)));
      return false;
    }
    claims.forEach(claim -> alone.addLast(new Alone(claim)));
    return true;
  }

  private List<Claim> take() {
    Set<Long> here = new HashSet<>();
    alone.forEach(one -> here.add(one.claim.id()));
    List<Claim> claims = new ArrayList<>();
    while (claims.size() < options.batch()) {
      int limit = Math.min(InventoryBackend.MAX_BATCH, options.batch() - claims.size());
      long idleMicros = options.takeOver().toNanos() / 1000;
      List<ClaimRow> rows =
          ask("take", () -> store.backend.take(name, consumer, limit, idleMicros), false);
      if (rows == null) {
        break;
      }
      for (ClaimRow row : rows) {
        if (here.add(row.id())) {
          claims.add(ClaimFormats.claim(row));
        }
      }
      if (rows.size() < limit) {
        break;
      }
    }
    return claims;
  }

  /** Writes claims one by one; returns whether one was written. */
  private boolean tryAlone() {
    long now = store.ticker.nanos();
    if (alone.isEmpty() || now - ledgerFrom < 0) {
      return false;
    }
    long before = written.get() + refused.get();
    Batch done = new Batch(List.of());
    int inARow = 0;
    for (int left = alone.size(); left > 0 && !closing && inARow < OUTAGE; left--) {
      Alone one = alone.removeFirst();
      if (one.failures > 0 && one.notBefore - now > 0) {
        alone.addLast(one);
        continue;
      }
      Batch batch = new Batch(List.of(one.claim));
      if (write(batch)) {
        untried -= one.failures == 0 ? 1 : 0;
        inARow = 0;
        done.addAll(batch);
      } else {
        inARow++;
        failed(one);
      }
    }
    settle(done);
    if (inARow >= OUTAGE) {
      ledgerFrom = store.ticker.nanos() + ledgerPause;
      ledgerPause = Math.min(MAX_PAUSE_NANOS, ledgerPause * 2);
      // what is new goes first after that: it may tell that the ledger is not the cause
      for (Alone one : alone) {
        if (one.failures > 0) {
          one.notBefore = ledgerFrom + ledgerPause;
        }
      }
    }
    return written.get() + refused.get() > before;
  }

  /** A claim that could not be written even separately. */
  private void failed(Alone one) {
    if (one.failures == 0) {
      untried--;
      one.writtenAtFirst = written.get();
    }
    one.failures++;
    if (one.failures >= options.attempts() && written.get() > one.writtenAtFirst) {
      Batch batch = new Batch(List.of(one.claim));
      batch.deadLetter(one.claim, lastFailure);
      refused.incrementAndGet();
      settle(batch);
      return;
    }
    long pause = IDLE_PAUSE_NANOS << Math.min(one.failures - 1, 10);
    one.notBefore = store.ticker.nanos() + Math.min(MAX_PAUSE_NANOS, pause);
    alone.addLast(one);
  }

  // ---- the handler ----

  private String lastFailure = "";

  /** Whether the handler wrote a batch. */
  private boolean write(Batch batch) {
    try {
      handler.write(batch);
      // for every failure: the claims are not written, and the consumer goes on
    } catch (Throwable e) {
      if (e instanceof InterruptedException) {
        closing = true;
      }
      lastFailure = e.toString();
      long now = store.ticker.nanos();
      boolean warns = now - warnFrom >= 0;
      if (warns) {
        warnFrom = now + WARNING_PAUSE_NANOS;
      }
      InventoryStore.LOG.log(
          warns ? System.Logger.Level.WARNING : System.Logger.Level.DEBUG,
          "stock "
              + Names.quoted(name)
              + ": the handler of a drain failed, and is called again for these claims: "
              + batch.claims.size(),
          e);
      failed.incrementAndGet();
      return false;
    }
    written.addAndGet(batch.claims.size() - batch.rejected.size() - batch.aside.size());
    refused.addAndGet(batch.rejected.size() + batch.aside.size());
    ledgerPause = IDLE_PAUSE_NANOS;
    for (Alone one : alone) { // the ledger works: what failed before may go well now
      one.notBefore = store.ticker.nanos();
    }
    return true;
  }

  /** The batch of claims that a handler receives, and the handler's decisions. */
  private static final class Batch implements DrainBatch {
    private final List<Claim> claims;
    private final Map<Claim, String> rejected = new LinkedHashMap<>();
    private final Map<Claim, String> aside = new LinkedHashMap<>();

    Batch(List<Claim> claims) {
      this.claims = new ArrayList<>(claims);
    }

    @Override
    public List<Claim> claims() {
      return List.copyOf(claims);
    }

    @Override
    public void reject(Claim claim, String reason) {
      decide(claim, reason, rejected, aside);
    }

    @Override
    public void deadLetter(Claim claim, String reason) {
      decide(claim, reason, aside, rejected);
    }

    private void decide(
        Claim claim, String reason, Map<Claim, String> into, Map<Claim, String> outOf) {
      if (!claims.contains(claim)) {
        throw new IllegalArgumentException("claim must be of this batch: " + claim);
      }
      outOf.remove(claim);
      into.put(claim, reason.substring(0, Math.min(MAX_REASON, reason.length())));
    }

    void addAll(Batch other) {
      claims.addAll(other.claims);
      rejected.putAll(other.rejected);
      aside.putAll(other.aside);
    }
  }

  // ---- the store ----

  private void settle(Batch batch) {
    Map<Verdict, Map<String, List<ClaimMark>>> marks = new LinkedHashMap<>();
    for (Claim claim : batch.claims) {
      String set = batch.aside.get(claim);
      boolean rejected = batch.rejected.containsKey(claim);
      Verdict verdict =
          rejected ? Verdict.REJECTED : set != null ? Verdict.DEAD_LETTER : Verdict.WRITTEN;
      marks
          .computeIfAbsent(verdict, v -> new LinkedHashMap<>())
          .computeIfAbsent(set == null ? "" : set, reason -> new ArrayList<>())
          .add(new ClaimMark(claim.claimant(), claim.id()));
    }
    marks.forEach(
        (verdict, byReason) ->
            byReason.forEach(
                (reason, all) -> {
                  for (int from = 0; from < all.size(); from += InventoryBackend.MAX_BATCH) {
                    List<ClaimMark> some =
                        List.copyOf(
                            all.subList(
                                from, Math.min(all.size(), from + InventoryBackend.MAX_BATCH)));
                    ask(
                        "settle",
                        () -> store.backend.settle(name, consumer, some, verdict, reason),
                        true);
                  }
                }));
    if (marks.containsKey(Verdict.REJECTED)) {
      memo.clear();
    }
  }

  /**
   * Calls the store until it answers; null if it had not answered when the drain closed. Nothing is
   * lost then: the store gives claims that were not settled to another consumer.
   *
   * @param insists whether to go on for a while although the drain is being closed
   */
  private <T> @Nullable T ask(String what, Supplier<CompletionStage<T>> verb, boolean insists) {
    long pause = MIN_PAUSE_NANOS;
    long patience = System.nanoTime() + PATIENCE_NANOS;
    while (!closing || insists && System.nanoTime() - patience < 0) {
      Throwable failure;
      try {
        T answer = await(verb);
        storeFails = false;
        return answer;
      } catch (InterruptedException e) {
        closing = true;
        failure = e;
      } catch (ExecutionException e) {
        failure = Failures.unwrap(e);
      } catch (TimeoutException e) {
        failure = e;
      }
      if (!storeFails) {
        InventoryStore.LOG.log(
            System.Logger.Level.WARNING,
            "stock "
                + Names.quoted(name)
                + ": a drain could not "
                + what
                + "; retrying: "
                + failure);
      }
      storeFails = true;
      if (closing) {
        LockSupport.parkNanos(this, pause); // the client's clock may stand still by now
      } else {
        pause(pause);
      }
      pause = Math.min(MAX_PAUSE_NANOS, pause * 2);
    }
    return null;
  }

  /** Waits for the store; stores answer or fail in time, so this bound is for faulty ones. */
  private <T> T await(Supplier<CompletionStage<T>> verb)
      throws InterruptedException, ExecutionException, TimeoutException {
    return Failures.call(verb).toCompletableFuture().get(2 * PATIENCE_NANOS, TimeUnit.NANOSECONDS);
  }
}
