package dev.sluice.testkit;

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
import dev.sluice.testkit.FlakyBackend.Verb;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The stocks behind a {@link FlakyBackend}. */
final class FlakyInventories implements InventoryBackend {
  private final FlakyBackend line;
  private final InventoryBackend store;

  FlakyInventories(FlakyBackend line, InventoryBackend store) {
    this.line = line;
    this.store = store;
  }

  @Override
  public CompletionStage<SaleReply> open(String name, SaleTerms terms) {
    return line.send(Verb.SELL, () -> store.open(name, terms));
  }

  @Override
  public CompletionStage<SaleReply> close(String name, long epoch) {
    return line.send(Verb.SELL, () -> store.close(name, epoch));
  }

  @Override
  public CompletionStage<SaleReply> resize(String name, long epoch, long total) {
    return line.send(Verb.SELL, () -> store.resize(name, epoch, total));
  }

  @Override
  public CompletionStage<SaleReply> look(String name) {
    return line.send(Verb.FIGURES, () -> store.look(name));
  }

  @Override
  public CompletionStage<ClaimsReply> claim(String name, List<ClaimRequest> requests) {
    return line.send(Verb.CLAIM, () -> store.claim(name, requests));
  }

  @Override
  public CompletionStage<ClaimState> confirm(String name, ClaimMark mark) {
    return line.send(Verb.FINISH, () -> store.confirm(name, mark));
  }

  @Override
  public CompletionStage<ClaimState> cancel(String name, ClaimMark mark) {
    return line.send(Verb.FINISH, () -> store.cancel(name, mark));
  }

  @Override
  public CompletionStage<@Nullable ClaimRow> find(String name, String claimant) {
    return line.send(Verb.FIND, () -> store.find(name, claimant));
  }

  @Override
  public CompletionStage<Integer> expire(String name, int limit) {
    return line.send(Verb.EXPIRE, () -> store.expire(name, limit));
  }

  @Override
  public CompletionStage<List<ClaimRow>> take(
      String name, String consumer, int limit, long idleMicros) {
    return line.send(Verb.TAKE, () -> store.take(name, consumer, limit, idleMicros));
  }

  @Override
  public CompletionStage<Integer> settle(
      String name, String consumer, List<ClaimMark> marks, Verdict verdict, String reason) {
    return line.send(Verb.SETTLE, () -> store.settle(name, consumer, marks, verdict, reason));
  }

  @Override
  public CompletionStage<List<SetAsideRow>> setAside(String name, int limit) {
    return line.send(Verb.ASIDE, () -> store.setAside(name, limit));
  }

  @Override
  public CompletionStage<Integer> queueAgain(String name, List<ClaimMark> marks) {
    return line.send(Verb.ASIDE, () -> store.queueAgain(name, marks));
  }

  @Override
  public CompletionStage<ClaimPage> page(String name, String after, int limit) {
    return line.send(Verb.PAGE, () -> store.page(name, after, limit));
  }

  @Override
  public CompletionStage<RestoreReply> restore(String name, long epoch, List<LedgerEntry> orders) {
    return line.send(Verb.RESTORE, () -> store.restore(name, epoch, orders));
  }

  @Override
  public CompletionStage<List<String>> names(int limit) {
    return line.send(Verb.NAMES, () -> store.names(limit));
  }
}
