package dev.sluice.memory;

import dev.sluice.inventory.ClaimState;
import dev.sluice.inventory.LedgerEntry;
import dev.sluice.spi.ClaimMark;
import dev.sluice.spi.ClaimPage;
import dev.sluice.spi.ClaimRequest;
import dev.sluice.spi.ClaimRow;
import dev.sluice.spi.ClaimsReply;
import dev.sluice.spi.InventoryBackend;
import dev.sluice.spi.SaleReply;
import dev.sluice.spi.SaleTerms;
import dev.sluice.state.SaleState;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The stocks of a {@link MemoryBackend}. */
final class MemoryInventories implements InventoryBackend {

  private static final class Stock {
    final SaleState state;
    final MemoryClaims claims = new MemoryClaims();

    Stock(SaleState state) {
      this.state = state;
    }
  }

  /** A function of the clock and a stock. */
  @FunctionalInterface
  private interface Decision<T extends @Nullable Object> {
    T decide(long now, SaleState state, MemoryClaims claims);
  }

  private final LongSupplier clock;
  private final Supplier<SaleState> newState;
  private final Map<String, Stock> stocks = new ConcurrentHashMap<>();

  MemoryInventories(LongSupplier clock, Supplier<SaleState> newState) {
    this.clock = clock;
    this.newState = newState;
  }

  private <T extends @Nullable Object> CompletionStage<T> decide(
      String name, Decision<T> decision) {
    Stock stock = stocks.get(name);
    if (stock == null) { // asking about a stock does not make it
      return CompletableFuture.completedFuture(
          decision.decide(clock.getAsLong(), newState.get(), new MemoryClaims()));
    }
    return CompletableFuture.completedFuture(in(stock, decision));
  }

  private <T extends @Nullable Object> T in(Stock stock, Decision<T> decision) {
    synchronized (stock) {
      // the clock is read inside: no decision sees an earlier time than the last
      return decision.decide(clock.getAsLong(), stock.state, stock.claims);
    }
  }

  @Override
  public CompletionStage<SaleReply> open(String name, SaleTerms terms) {
    Stock stock = stocks.computeIfAbsent(name, made -> new Stock(newState.get()));
    return CompletableFuture.completedFuture(
        in(stock, (now, state, claims) -> state.open(now, terms, claims)));
  }

  @Override
  public CompletionStage<SaleReply> close(String name, long epoch) {
    return decide(name, (now, state, claims) -> state.close(now, epoch, claims));
  }

  @Override
  public CompletionStage<SaleReply> resize(String name, long epoch, long total) {
    return decide(name, (now, state, claims) -> state.resize(now, epoch, total, claims));
  }

  @Override
  public CompletionStage<SaleReply> look(String name) {
    return decide(name, (now, state, claims) -> state.look(now, claims));
  }

  @Override
  public CompletionStage<ClaimsReply> claim(String name, List<ClaimRequest> requests) {
    return decide(name, (now, state, claims) -> state.claim(now, requests, claims));
  }

  @Override
  public CompletionStage<ClaimState> confirm(String name, ClaimMark mark) {
    return decide(name, (now, state, claims) -> state.confirm(now, mark, claims));
  }

  @Override
  public CompletionStage<ClaimState> cancel(String name, ClaimMark mark) {
    return decide(name, (now, state, claims) -> state.cancel(now, mark, claims));
  }

  @Override
  @SuppressWarnings("NullAway") // it does not see that a decision may answer null
  public CompletionStage<@Nullable ClaimRow> find(String name, String claimant) {
    return decide(name, (now, state, claims) -> state.find(now, claimant, claims));
  }

  @Override
  public CompletionStage<Integer> expire(String name, int limit) {
    return decide(name, (now, state, claims) -> state.expire(now, limit, claims));
  }

  @Override
  public CompletionStage<List<ClaimRow>> take(
      String name, String consumer, int limit, long idleMicros) {
    return decide(
        name, (now, state, claims) -> state.take(now, consumer, limit, idleMicros, claims));
  }

  @Override
  public CompletionStage<Integer> settle(
      String name, String consumer, List<ClaimMark> marks, Verdict verdict, String reason) {
    return decide(
        name, (now, state, claims) -> state.settle(now, consumer, marks, verdict, reason, claims));
  }

  @Override
  public CompletionStage<List<DeadLetterRow>> deadLetters(String name, int limit) {
    return decide(name, (now, state, claims) -> state.deadLetters(limit, claims));
  }

  @Override
  public CompletionStage<Integer> requeue(String name, List<ClaimMark> marks) {
    return decide(name, (now, state, claims) -> state.requeue(now, marks, claims));
  }

  @Override
  public CompletionStage<ClaimPage> page(String name, String after, int limit) {
    return decide(name, (now, state, claims) -> claims.page(now, after, limit));
  }

  @Override
  public CompletionStage<RestoreReply> restore(String name, long epoch, List<LedgerEntry> orders) {
    return decide(name, (now, state, claims) -> state.restore(now, epoch, orders, claims));
  }

  @Override
  public CompletionStage<List<String>> names(int limit) {
    return CompletableFuture.completedFuture(stocks.keySet().stream().limit(limit).toList());
  }

  void clear() {
    stocks.clear();
  }
}
