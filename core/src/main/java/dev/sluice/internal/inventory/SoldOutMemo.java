package dev.sluice.internal.inventory;

import dev.sluice.internal.call.Failures;
import dev.sluice.spi.ClaimPage;
import dev.sluice.spi.ClaimRow;
import dev.sluice.spi.InventoryBackend;
import dev.sluice.spi.SaleReply;
import dev.sluice.spi.Ticker;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Caches the state of a sold-out stock in this process, which saves a request for each later claim.
 * Safe for use by many threads.
 */
final class SoldOutMemo {
  /*
   * A claimant that has claimed before must never get "sold out". So the memo keeps a hash of 64
   * bits of each claimant, paged from the store once. A claimant whose hash is known is sent to
   * the store. The set is valid while the store has accepted no further claim: a refresh then
   * costs one look. It was paged after the look that counted the claims, so it has at least those
   * that were counted.
   *
   * Each call of this process that may change what is sold out, or who has a claim, ends the
   * memo and raises the generation. Results of an earlier generation are dropped.
   */
  static final int MAX_CLAIMANTS = 1 << 20;
  private static final int PAGE = 1000;

  /** A store that lost its last claims and took others instead has as many as before. */
  private static final long KNOWN_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The largest share of the time that paging may take. */
  private static final int PAGING_SHARE = 10;

  /** The claimants, as of a number of accepted claims. */
  private record Known(long epoch, long claims, long since, LongSet claimants) {}

  private static final class Memo {
    final long generation;
    final long learntAt;
    final long left;
    final LongSet claimants;

    /** A refresh from the store is under way. */
    final AtomicBoolean probed = new AtomicBoolean();

    Memo(long generation, long learntAt, long left, LongSet claimants) {
      this.generation = generation;
      this.learntAt = learntAt;
      this.left = left;
      this.claimants = claimants;
    }
  }

  private final InventoryBackend backend;
  private final String name;
  private final Ticker ticker;
  private final AtomicLong generation = new AtomicLong();
  private final AtomicBoolean learning = new AtomicBoolean();
  private volatile @Nullable Memo memo;
  // used only by the thread that pages
  private volatile @Nullable Known known;
  private volatile long pagingFrom;

  SoldOutMemo(InventoryBackend backend, String name, Ticker ticker) {
    this.backend = backend;
    this.name = name;
    this.ticker = ticker;
    this.pagingFrom = ticker.nanos();
  }

  /** Whether a claim certainly exceeds the units left. Takes no lock and makes no object. */
  boolean isSoldOut(String claimant, int quantity, long lastsNanos) {
    Memo memo = this.memo;
    if (memo == null || quantity <= memo.left || memo.generation != generation.get()) {
      return false;
    }
    long age = ticker.nanos() - memo.learntAt;
    if (age >= 2 * lastsNanos || memo.claimants.contains(LongSet.hash(claimant))) {
      return false;
    }
    // when it is old one asks the store, and the others are answered meanwhile
    return age < lastsNanos || memo.probed.getAndSet(true);
  }

  /** Records an event that may have returned units, or a claimant that became known. */
  void clear() {
    generation.incrementAndGet();
    memo = null;
  }

  /** The stock is no longer used. */
  void forget() {
    clear();
    known = null;
  }

  /** After a "sold out" of the store, reads the stock, unless the memory is fresh. */
  void learn(long lastsNanos) {
    Memo last = memo;
    long now = ticker.nanos();
    long began = generation.get();
    if (lastsNanos == 0
        || last != null && last.generation == began && now - last.learntAt < lastsNanos
        || !learning.compareAndSet(false, true)) {
      return;
    }
    Failures.call(() -> backend.look(name))
        .whenComplete(
            (reply, failure) -> {
              if (reply == null || !looked(reply, began, now)) {
                memo = null;
                learning.set(false);
              }
            });
  }

  /** Applies the result of a look at the stock; false if there is nothing to remember. */
  private boolean looked(SaleReply reply, long began, long learntAt) {
    long epoch = reply.info().epoch();
    long claims = reply.info().claims();
    long left = reply.info().left();
    if (!reply.info().open()) {
      return false; // another answer than "sold out" is due
    }
    Known known = this.known;
    if (known != null
        && known.epoch == epoch
        && known.claims == claims
        && ticker.nanos() - known.since < KNOWN_NANOS) {
      learnt(known, new Memo(began, learntAt, left, known.claimants));
      return true;
    }
    if (claims > MAX_CLAIMANTS || ticker.nanos() - pagingFrom < 0) {
      return false;
    }
    Known anew = new Known(epoch, claims, ticker.nanos(), new LongSet());
    page("", anew, new Memo(began, learntAt, left, anew.claimants));
    return true;
  }

  private void learnt(Known fresh, Memo made) {
    known = fresh;
    memo = made;
    learning.set(false);
  }

  private void page(String after, Known fresh, Memo made) {
    String from = after;
    while (true) {
      String asked = from;
      CompletableFuture<ClaimPage> page =
          Failures.call(() -> backend.page(name, asked, PAGE)).toCompletableFuture();
      if (!page.isDone()) {
        page.whenComplete(
            (rows, failure) -> {
              String next = entered(rows, fresh, made);
              if (next != null) {
                page(next, fresh, made);
              }
            });
        return;
      }
      String next = entered(page.isCompletedExceptionally() ? null : page.join(), fresh, made);
      if (next == null) {
        return;
      }
      from = next;
    }
  }

  /** Adds a page; returns the start of the next one, or null at the end. */
  private @Nullable String entered(@Nullable ClaimPage page, Known fresh, Memo made) {
    if (page == null || fresh.claimants.size() > 2 * MAX_CLAIMANTS) {
      memo = null;
      learning.set(false);
      return null;
    }
    for (ClaimRow row : page.rows()) {
      fresh.claimants.add(LongSet.hash(row.claimant()));
    }
    if (!page.next().isEmpty()) {
      return page.next();
    }
    long now = ticker.nanos();
    pagingFrom = now + (now - made.learntAt) * PAGING_SHARE;
    learnt(fresh, made);
    return null;
  }
}
