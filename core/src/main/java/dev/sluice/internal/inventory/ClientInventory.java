package dev.sluice.internal.inventory;

import static java.util.Objects.requireNonNull;

import dev.sluice.internal.call.Failures;
import dev.sluice.inventory.AsyncInventory;
import dev.sluice.inventory.Claim;
import dev.sluice.inventory.ClaimConsumer;
import dev.sluice.inventory.ClaimResult;
import dev.sluice.inventory.ClaimState;
import dev.sluice.inventory.DeadLetter;
import dev.sluice.inventory.DrainHandler;
import dev.sluice.inventory.DrainOptions;
import dev.sluice.inventory.Inventory;
import dev.sluice.inventory.InventoryInfo;
import dev.sluice.inventory.InventoryOptions;
import dev.sluice.inventory.LedgerEntry;
import dev.sluice.inventory.Reconciliation;
import dev.sluice.inventory.Sale;
import dev.sluice.spi.ClaimMark;
import dev.sluice.spi.ClaimRequest;
import dev.sluice.spi.ClaimRow;
import dev.sluice.spi.SaleReply;
import dev.sluice.spi.SaleTerms;
import dev.sluice.text.Names;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A stock as callers use it. Safe for use by many threads. */
final class ClientInventory implements Inventory {
  private static final int MAX_DEAD_LETTERS = 10_000;

  private static final ClaimResult SOLD_OUT =
      new ClaimResult(ClaimResult.Outcome.SOLD_OUT, 0, ClaimState.UNKNOWN, 0);
  private static final CompletionStage<ClaimResult> SOLD_OUT_STAGE =
      CompletableFuture.completedStage(SOLD_OUT);

  private final InventoryStore store;
  private final Supplier<StockCoordinator> coordinator;
  private final String name;
  private final String what;
  private final long timeoutNanos;
  private final long memoNanos;
  private final AsyncInventory async = new Async();

  ClientInventory(
      InventoryStore store,
      Supplier<StockCoordinator> coordinator,
      String name,
      InventoryOptions options) {
    this.store = store;
    this.coordinator = coordinator;
    this.name = name;
    this.what = "stock " + Names.quoted(name);
    this.timeoutNanos = options.timeout().toNanos();
    this.memoNanos = options.soldOutMemo().toNanos();
  }

  @Override
  public String name() {
    return name;
  }

  // ---- sales ----

  @Override
  public InventoryInfo open(Sale sale) {
    return settled(sendOpen(sale));
  }

  private CompletableFuture<InventoryInfo> sendOpen(Sale sale) {
    requireNonNull(sale, "sale must not be null");
    SaleTerms terms =
        new SaleTerms(
            sale.epoch(),
            sale.total(),
            sale.hold().toNanos() / 1000,
            sale.isDrained(),
            micros(sale.opensAt()),
            micros(sale.closesAt()));
    return used(() -> store.backend.open(name, terms))
        .thenApply(
            reply -> {
              if (!reply.done()) {
                throw new IllegalStateException(what + ": " + refusal(terms, reply));
              }
              return reply.info();
            });
  }

  private static long micros(Instant moment) {
    return moment.getEpochSecond() * 1_000_000 + moment.getNano() / 1000;
  }

  private static String refusal(SaleTerms asked, SaleReply reply) {
    InventoryInfo known = reply.info();
    if (known.epoch() > asked.epoch()) {
      return "cannot open sale " + asked.epoch() + ": a later one is known, " + known.epoch();
    }
    if (known.epoch() == asked.epoch()) {
      return "sale "
          + asked.epoch()
          + " is known with other terms: "
          + reply.terms()
          + "; given: "
          + asked
          + "; after a resize, give the total that it was opened with first";
    }
    return "cannot open sale "
        + asked.epoch()
        + ": sale "
        + known.epoch()
        + (known.queued() + known.held() + known.deadLetters() == 0
            ? " is not over; close it first"
            : " has units that are neither final nor returned: "
                + known.queued()
                + " queued, "
                + known.held()
                + " held, "
                + known.deadLetters()
                + " dead letters"
                + (known.open() ? "; and it is still open" : ""));
  }

  @Override
  public InventoryInfo close(long epoch) {
    return settled(sendClose(epoch));
  }

  private CompletableFuture<InventoryInfo> sendClose(long epoch) {
    checkEpoch(epoch);
    return used(() -> store.backend.close(name, epoch)).thenApply(SaleReply::info);
  }

  @Override
  public InventoryInfo resize(Sale sale) {
    return settled(sendResize(sale));
  }

  private CompletableFuture<InventoryInfo> sendResize(Sale sale) {
    long epoch = sale.epoch();
    return used(() -> store.backend.resize(name, epoch, sale.total()))
        .thenApply(
            reply -> {
              if (!reply.done()) {
                throw new IllegalStateException(
                    what
                        + ": cannot resize sale "
                        + epoch
                        + (reply.terms() == null
                            ? ": none is loaded"
                            : ": the present one is " + reply.info().epoch()));
              }
              return reply.info();
            });
  }

  private static void checkEpoch(long epoch) {
    if (epoch < 1 || epoch > Sale.MAX) {
      throw new IllegalArgumentException("epoch must be 1 to 2^53 - 1: " + epoch);
    }
  }

  @Override
  public InventoryInfo info() {
    return answer(sendLook());
  }

  private CompletableFuture<InventoryInfo> sendLook() {
    return used(() -> store.backend.look(name)).thenApply(SaleReply::info);
  }

  // ---- claims ----

  @Override
  public ClaimResult claim(String claimant, int quantity, String requestId) {
    ClaimFormats.checkClaim(claimant, quantity, requestId);
    StockCoordinator stock = coordinator.get();
    return stock.memo.isSoldOut(claimant, quantity, memoNanos)
        ? SOLD_OUT
        : answer(
            stock.claim(
                new ClaimRequest(claimant, quantity, requestId), timeoutNanos, memoNanos, false));
  }

  @Override
  public ClaimState confirm(String claimant, long claimId) {
    return settled(sendConfirm(claimant, claimId));
  }

  private CompletableFuture<ClaimState> sendConfirm(String claimant, long claimId) {
    ClaimMark mark = ClaimFormats.mark(claimant, claimId);
    return used(() -> store.backend.confirm(name, mark));
  }

  @Override
  public ClaimState cancel(String claimant, long claimId) {
    return settled(sendCancel(claimant, claimId));
  }

  private CompletableFuture<ClaimState> sendCancel(String claimant, long claimId) {
    ClaimMark mark = ClaimFormats.mark(claimant, claimId);
    return used(() -> store.backend.cancel(name, mark));
  }

  @Override
  public Optional<Claim> find(String claimant) {
    return answer(sendFind(claimant)).map(ClaimFormats::claim);
  }

  private CompletableFuture<Optional<ClaimRow>> sendFind(String claimant) {
    ClaimFormats.checkClaimant(claimant);
    CompletableFuture<@Nullable ClaimRow> row = used(() -> store.backend.find(name, claimant));
    return row.thenApply(Optional::ofNullable);
  }

  // ---- drains ----

  @Override
  public ClaimConsumer drain(DrainOptions options, DrainHandler handler) {
    requireNonNull(options, "options must not be null");
    requireNonNull(handler, "handler must not be null");
    StockCoordinator stock = coordinator.get();
    InventoryDrain drain =
        new InventoryDrain(store, name, stock.memo, stock::remove, options, handler);
    stock.add(drain);
    drain.start();
    return drain;
  }

  @Override
  public List<DeadLetter> deadLetters(int limit) {
    return answer(sendDeadLetters(limit));
  }

  private CompletableFuture<List<DeadLetter>> sendDeadLetters(int limit) {
    if (limit < 1 || limit > MAX_DEAD_LETTERS) {
      throw new IllegalArgumentException("limit must be 1 to 10,000: " + limit);
    }
    return used(() -> store.backend.deadLetters(name, limit))
        .thenApply(
            rows ->
                rows.stream()
                    .map(row -> new DeadLetter(ClaimFormats.claim(row.claim()), row.reason()))
                    .toList());
  }

  @Override
  public ClaimState requeue(String claimant, long claimId) {
    return answer(sendRequeue(claimant, claimId));
  }

  private CompletableFuture<ClaimState> sendRequeue(String claimant, long claimId) {
    ClaimMark mark = ClaimFormats.mark(claimant, claimId);
    return stateOf(claimant, claimId)
        .thenCompose(
            state ->
                state == ClaimState.DEAD_LETTER
                    ? used(() -> store.backend.requeue(name, List.of(mark)))
                        .thenCompose(done -> stateOf(claimant, claimId))
                    : CompletableFuture.completedFuture(state));
  }

  private CompletableFuture<ClaimState> stateOf(String claimant, long claimId) {
    return sendFind(claimant)
        .thenApply(
            row ->
                row.filter(known -> known.id() == claimId)
                    .map(ClaimRow::state)
                    .orElse(ClaimState.UNKNOWN));
  }

  @Override
  public Reconciliation reconcile(Iterable<LedgerEntry> ledger) {
    requireNonNull(ledger, "ledger must not be null");
    return reconciling(reconciler -> reconciler.run(store.backend, ledger));
  }

  @Override
  public boolean restore(LedgerEntry order) {
    requireNonNull(order, "order must not be null");
    return reconciling(reconciler -> reconciler.restore(store.backend, order));
  }

  private <T> T reconciling(Function<InventoryReconciler, T> work) {
    try {
      return work.apply(new InventoryReconciler(name, what, this::used));
    } finally {
      coordinator.get().memo.clear();
    }
  }

  // ---- asking ----

  /** Handles the reply to a request that may have changed the units left. */
  private <T> T settled(CompletableFuture<T> asked) {
    try {
      return answer(asked);
    } finally {
      coordinator.get().memo.clear();
    }
  }

  private <T extends @Nullable Object> CompletableFuture<T> used(
      Supplier<CompletionStage<T>> verb) {
    coordinator.get().touch();
    return store.ask(timeoutNanos, verb);
  }

  private <T extends @Nullable Object> T answer(CompletableFuture<T> asked) {
    return Failures.await(asked, what);
  }

  @Override
  public AsyncInventory async() {
    return async;
  }

  private final class Async implements AsyncInventory {
    @Override
    public CompletionStage<ClaimResult> claim(String claimant, int quantity, String requestId) {
      ClaimFormats.checkClaim(claimant, quantity, requestId);
      StockCoordinator stock = coordinator.get();
      return stock.memo.isSoldOut(claimant, quantity, memoNanos)
          ? SOLD_OUT_STAGE
          : stock.claim(
              new ClaimRequest(claimant, quantity, requestId), timeoutNanos, memoNanos, true);
    }

    @Override
    public CompletionStage<ClaimState> confirm(String claimant, long claimId) {
      return settling(sendConfirm(claimant, claimId));
    }

    @Override
    public CompletionStage<ClaimState> cancel(String claimant, long claimId) {
      return settling(sendCancel(claimant, claimId));
    }

    @Override
    public CompletionStage<InventoryInfo> open(Sale sale) {
      return settling(sendOpen(sale));
    }

    @Override
    public CompletionStage<InventoryInfo> close(long epoch) {
      return settling(sendClose(epoch));
    }

    @Override
    public CompletionStage<InventoryInfo> resize(Sale sale) {
      return settling(sendResize(sale));
    }

    @Override
    public CompletionStage<Optional<Claim>> find(String claimant) {
      return later(sendFind(claimant).thenApply(row -> row.map(ClaimFormats::claim)));
    }

    @Override
    public CompletionStage<InventoryInfo> info() {
      return later(sendLook());
    }

    @Override
    public CompletionStage<List<DeadLetter>> deadLetters(int limit) {
      return later(sendDeadLetters(limit));
    }

    @Override
    public CompletionStage<ClaimState> requeue(String claimant, long claimId) {
      return later(sendRequeue(claimant, claimId));
    }

    @Override
    public CompletionStage<Reconciliation> reconcile(Iterable<LedgerEntry> ledger) {
      requireNonNull(ledger, "ledger must not be null");
      return CompletableFuture.supplyAsync(
          () -> ClientInventory.this.reconcile(ledger), store.callbacks);
    }

    @Override
    public CompletionStage<Boolean> restore(LedgerEntry order) {
      requireNonNull(order, "order must not be null");
      return CompletableFuture.supplyAsync(
          () -> ClientInventory.this.restore(order), store.callbacks);
    }

    /** Completes the waiting callers, whose code may block the thread of the reply. */
    private <T> CompletableFuture<T> later(CompletableFuture<T> asked) {
      return Failures.later(asked, what, store.callbacks);
    }

    private <T> CompletableFuture<T> settling(CompletableFuture<T> asked) {
      StockCoordinator stock = coordinator.get();
      return later(asked.whenComplete((answer, failure) -> stock.memo.clear()));
    }
  }
}
