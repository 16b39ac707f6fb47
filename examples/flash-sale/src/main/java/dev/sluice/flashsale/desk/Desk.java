package dev.sluice.flashsale.desk;

import dev.sluice.Sluice;
import dev.sluice.flashsale.desk.BuyerReply.What;
import dev.sluice.inventory.Claim;
import dev.sluice.inventory.ClaimConsumer;
import dev.sluice.inventory.ClaimResult;
import dev.sluice.inventory.ClaimState;
import dev.sluice.inventory.DrainBatch;
import dev.sluice.inventory.DrainOptions;
import dev.sluice.inventory.Inventory;
import dev.sluice.inventory.InventoryInfo;
import dev.sluice.inventory.Reconciliation;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sells one sale: claims are decided by the store, drained in batches into the database, paid or
 * returned. Any number of desks, in any number of processes, sell the same sale. Safe for use by
 * many threads.
 */
public final class Desk implements AutoCloseable {
  /*
   * Who has the last word:
   *  - admission: the store. The answer is "queued", which promises nothing.
   *  - the order: the database. "ordered" and "paid" are read from there, or from a statement that
   *    was committed there.
   *  - paid or returned: first the store, where confirm and cancel exclude each other, then the row,
   *    by a condition on its state. If the store lost its last writes the row still lets one win.
   */
  private static final System.Logger LOG = System.getLogger("dev.sluice.flashsale");
  private static final int UNPAID_AT_ONCE = 500;

  /** So many failures in a row are the store's or the database's, not the orders'. */
  private static final int OUTAGE = 10;

  private final Terms terms;
  private final OrderBook book;
  private final Inventory inventory;
  private final List<Consumer<List<Claim>>> listeners = new CopyOnWriteArrayList<>();
  private final LongAdder written = new LongAdder();
  private final LongAdder returned = new LongAdder();
  private final ScheduledExecutorService sweeper =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "flash-sale-sweep");
            thread.setDaemon(true);
            return thread;
          });
  private long sweptUpTo; // of the sweeper's thread
  private @Nullable ClaimConsumer drain;

  /** A desk of one sale. Call {@link #open} before anybody buys. The store stays open. */
  public Desk(Sluice sluice, OrderBook book, Terms terms) {
    this.terms = terms;
    this.book = book;
    this.inventory = sluice.inventory("flash-sale/" + terms.sale());
  }

  /** Loads the stock, unless it is loaded: a sale that runs stays as it is. */
  public void open() {
    book.open(terms.total());
    inventory.open(terms.forStore());
  }

  /** Starts to write orders, and to return what is not paid in time. */
  public synchronized void startDrain(DrainOptions options) {
    drain = inventory.drain(options, this::write);
    long everyMillis = Math.max(100, terms.hold().toMillis() / 4);
    sweeper.scheduleWithFixedDelay(
        this::sweep, everyMillis, Math.min(1000, everyMillis), TimeUnit.MILLISECONDS);
  }

  private void write(DrainBatch batch) {
    List<Claim> orders = book.write(batch);
    written.add(orders.size());
    for (Consumer<List<Claim>> listener : listeners) {
      try {
        listener.accept(orders);
      } catch (RuntimeException e) {
        LOG.log(System.Logger.Level.WARNING, "orders are written, a view of them is not", e);
      }
    }
  }

  /** Reports orders that this desk has just made durable. A failed report is not repeated. */
  public void onOrders(Consumer<List<Claim>> listener) {
    listeners.add(listener);
  }

  /**
   * Claims one unit, without blocking.
   *
   * @param request the same when it is sent again, through any desk @return queued, sold out or
   *     closed; fails if the store is away: send the same request again
   */
  public CompletionStage<BuyerReply> claim(String buyer, String request) {
    return inventory.async().claim(buyer, 1, request).thenApply(Desk::told);
  }

  private static BuyerReply told(ClaimResult result) {
    return switch (result.outcome()) {
      case ACCEPTED -> new BuyerReply(What.QUEUED, result.claimId());
      case ALREADY_CLAIMED -> new BuyerReply(told(result.state()), result.claimId());
      case SOLD_OUT -> BuyerReply.of(What.SOLD_OUT);
      case CLOSED, NOT_LOADED -> BuyerReply.of(What.CLOSED);
    };
  }

  /** What the store alone may say: nothing that only the database knows. */
  private static What told(ClaimState state) {
    return state == ClaimState.CANCELLED || state == ClaimState.RETURNED
        ? What.CANCELLED
        : state == ClaimState.UNKNOWN ? What.NOTHING : What.QUEUED;
  }

  /** {@return what has become of a buyer's order: by the database, or if it has none, the store} */
  public BuyerReply status(String buyer) {
    Optional<Order> order = book.find(buyer);
    if (order.isPresent() && order.get().state().isLive()) {
      return told(order.get());
    }
    Optional<Claim> claim = inventory.find(buyer);
    if (claim.isPresent() && claim.get().id() > order.map(Order::claimId).orElse(0L)) {
      return new BuyerReply(told(claim.get().state()), claim.get().id());
    }
    return order.map(Desk::told).orElse(BuyerReply.of(What.NOTHING));
  }

  private static BuyerReply told(Order order) {
    What what =
        switch (order.state()) {
          case PENDING -> What.ORDERED;
          case PAID -> What.PAID;
          case CANCELLED -> What.CANCELLED;
          case REJECTED -> What.REJECTED;
        };
    return new BuyerReply(what, order.claimId());
  }

  /**
   * Pays an order. May be repeated, and must be if it throws: then it may be paid.
   *
   * @return paid; cancelled, if that came first; queued, if there is no order yet: nothing was paid
   */
  public BuyerReply pay(String buyer, long claimId) {
    ClaimState state = inventory.confirm(buyer, claimId);
    boolean isConfirmed = state == ClaimState.CONFIRMED;
    if (state.isLive() && !isConfirmed) {
      return new BuyerReply(What.QUEUED, claimId);
    }
    BuyerReply withoutOrder =
        isConfirmed ? new BuyerReply(What.QUEUED, claimId) : BuyerReply.of(What.NOTHING);
    return finish(buyer, claimId, state).map(Desk::told).orElse(withoutOrder);
  }

  /**
   * Gives an order up. May be repeated, and must be if it throws.
   *
   * @return cancelled; paid, if that came first; queued, if it is being written: try again
   */
  public BuyerReply cancel(String buyer, long claimId) {
    ClaimState state = inventory.cancel(buyer, claimId);
    if (state == ClaimState.QUEUED) {
      return new BuyerReply(What.QUEUED, claimId);
    }
    if (isReplaced(buyer, claimId, state)) {
      Optional<Order> replaced = book.cancel(buyer, claimId);
      replaced.ifPresent(order -> returned.increment());
      return replaced.map(Desk::told).orElse(BuyerReply.of(What.NOTHING));
    }
    boolean isGivenUp = state == ClaimState.CANCELLED || state == ClaimState.RETURNED;
    if (isGivenUp) {
      returned.increment();
    }
    BuyerReply withoutOrder =
        isGivenUp ? new BuyerReply(What.CANCELLED, claimId) : BuyerReply.of(What.NOTHING);
    return finish(buyer, claimId, state).map(Desk::told).orElse(withoutOrder);
  }

  /**
   * Has the row follow what the store has decided: who came to the store first may have ended
   * before he came to the row. The row says what holds. A store that has forgotten what it decided
   * before may contradict it, and follows.
   */
  private Optional<Order> finish(String buyer, long claimId, ClaimState state) {
    Optional<Order> order =
        switch (state) {
          case CONFIRMED -> book.pay(buyer, claimId);
          case CANCELLED, RETURNED -> book.cancel(buyer, claimId);
          default -> book.find(buyer, claimId);
        };
    boolean isPaidHere = state == ClaimState.CONFIRMED;
    boolean isGivenUpHere = state == ClaimState.CANCELLED || state == ClaimState.RETURNED;
    order
        .filter(
            row ->
                isPaidHere && row.state() == Order.State.CANCELLED
                    || isGivenUpHere && row.state() == Order.State.PAID)
        .ifPresent(row -> inventory.restore(OrderBook.entry(row)));
    return order;
  }

  /**
   * Whether the store has given the units of a claim back and has forgotten it for a later one. It
   * keeps only the last claim of a buyer, and admits the buyer again once the claim before has no
   * units. If the row of that one was not given up as well, it keeps the later claim from becoming
   * an order, and only this desk can end it.
   */
  private boolean isReplaced(String buyer, long claimId, ClaimState state) {
    return state == ClaimState.UNKNOWN
        && inventory.find(buyer).filter(last -> last.id() > claimId).isPresent();
  }

  /** Returns what was not paid in time, and finishes what a process left half done. */
  private void sweep() {
    try {
      List<Order> unpaid;
      do {
        unpaid = book.unpaid(terms.hold(), sweptUpTo, UNPAID_AT_ONCE);
        if (!sweep(unpaid)) {
          return; // the next one goes on from here, so that these do not keep it from the others
        }
      } while (unpaid.size() == UNPAID_AT_ONCE);
      sweptUpTo = 0;
    } catch (RuntimeException e) { // one that is thrown on ends all later sweeps
      LOG.log(System.Logger.Level.DEBUG, "unpaid orders wait", e);
    }
  }

  /** Whether to go on. */
  private boolean sweep(List<Order> unpaid) {
    int inARow = 0;
    for (Order order : unpaid) {
      if (sweeper.isShutdown()) {
        return false;
      }
      sweptUpTo = order.claimId();
      try {
        cancel(order.buyer(), order.claimId());
        inARow = 0;
      } catch (RuntimeException e) {
        LOG.log(System.Logger.Level.DEBUG, "order " + order.claimId() + " waits", e);
        if (++inARow == OUTAGE) {
          return false;
        }
      }
    }
    return true;
  }

  /** Makes the store agree with the database, after the store may have lost writes. */
  public Reconciliation reconcile() {
    return inventory.reconcile(() -> book.ledger().iterator()); // read once it has seen the store
  }

  /** Ends the sale: no claim is admitted any more; admitted claims go on. */
  public void end() {
    inventory.close(Terms.EPOCH);
  }

  /** {@return what the store says} */
  public InventoryInfo info() {
    return inventory.info();
  }

  /** {@return the terms} */
  public Terms terms() {
    return terms;
  }

  /** {@return the ledger} */
  public OrderBook book() {
    return book;
  }

  /** {@return orders that this desk has made durable} */
  public long written() {
    return written.sum();
  }

  /** {@return orders that this desk has returned} */
  public long returned() {
    return returned.sum();
  }

  /** Stops writing; another desk goes on. Idempotent. */
  @Override
  public synchronized void close() {
    sweeper
        .shutdown(); // no interrupt: H2 closes its file when a thread is interrupted inside of it
    if (drain != null) {
      drain.close();
    }
  }
}
